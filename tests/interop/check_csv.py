"""csv2bin and bin2csv beside Python's csv module and float().

check_csv.py random N   N random tables; gzip and threads change no byte
check_csv.py blocks     cells at every place around the edges of blocks
check_csv.py round N    N random streams through bin2csv and csv2bin
"""
import csv
import gzip
import io
import random
import subprocess
import sys

import pyarrow as pa

MISSING = {'NA', 'N/A', 'NaN', 'nan', 'null', 'NULL', '?'}
WORDS = ['a', 'b c', 'é', 'x"y', 'p,q', 'l\nm', 'l\r\nn', 'r\rs', '', 'NA',
         'tail;', '12', '日本', '"', '""', "it's"]


def run(tool, data, *options, want=0):
    done = subprocess.run([tool, *options], input=data, capture_output=True)
    if want is not None:
        assert done.returncode == want, (tool, options, done.stderr)
    return done


def read(stream):
    table = pa.ipc.open_stream(stream).read_all()
    for batch in table.to_batches():
        batch.validate(full=True)
    return table


def expected(cell, kind):
    if cell.strip(' \t') == '' or cell in MISSING:
        return None
    if pa.types.is_integer(kind):
        return int(cell)
    return float(cell) if pa.types.is_floating(kind) else cell


def number(kind):
    if kind == 'i':
        top = 10 ** random.randrange(1, 12)
        return str(random.randrange(-top, top))
    return random.choice([repr(random.uniform(-1e3, 1e3)),
                          '%.6f' % random.uniform(-100, 100),
                          '%.18e' % random.uniform(-8, 8),
                          '%g' % random.uniform(-1e9, 1e-9)])


def cell(kind):
    if random.random() < .05:
        return random.choice(['', 'NA', '?'])
    return number(kind) if kind in 'if' else random.choice(WORDS)


def random_table():
    """Text, delimiter and rows of a table that is all quoted or minimally."""
    delimiter = random.choice(',\t;')
    end = random.choice(['\n', '\r\n', '\r'])
    n_columns = random.randrange(2, 7)
    kinds = [random.choice('ift') for _ in range(n_columns)]
    rows = [['c%d' % i for i in range(n_columns)]]
    for _ in range(random.choice([0, 1, 3, 20, 300, 3000])):
        rows.append([cell(kind) for kind in kinds])
    quoted = random.random() < .5
    out = []
    for row in rows:
        out.append(delimiter.join(
            '"' + c.replace('"', '""') + '"' if quoted or
            any(x in c for x in ',\t;"\n\r') else c for c in row) + end)
        if random.random() < .01:
            out.append(end)
    text = ''.join(out)
    return text if random.random() < .5 else text[:-len(end)], delimiter


def check_random(n):
    for _ in range(n):
        text, delimiter = random_table()
        data = text.encode()
        rows = [r for r in csv.reader(io.StringIO(text, newline=''),
                                      delimiter=delimiter) if r]
        options = ['-q', '--delimiter', delimiter]
        first = run('csv2bin', data, '-t', '1', *options, want=None)
        for other in (run('csv2bin', data, '-t', '3', *options, want=None),
                      run('csv2bin', gzip.compress(data), *options,
                          want=None)):
            assert (first.returncode, first.stdout, first.stderr) == \
                (other.returncode, other.stdout, other.stderr)
        if b'numbers with other words' in first.stderr:
            continue
        assert first.returncode == 0, first.stderr
        table = read(first.stdout)
        assert table.column_names == rows[0]
        assert table.num_rows == len(rows) - 1
        for i, column in enumerate(table.columns):
            got = column.to_pylist()
            want = [expected(r[i], column.type) for r in rows[1:]]
            assert got == want, (i, data)


def check_blocks():
    """16 384 columns, and records that move along the edges of reads."""
    row = ','.join(str(i % 1000) for i in range(16384))
    data = (','.join('c%d' % i for i in range(16384)) + '\n' +
            (row + '\n') * 30).encode()
    back = run('bin2csv', run('csv2bin', data, '-q', '-t', '2').stdout).stdout
    assert back == data
    for shift in list(range(0, 140)) + [1000, 4095, 65535]:
        pad = 'p' * shift
        lines = ['a,"%s",b' % pad] + \
            ['%d,"x ""%d"" y\n z",%d.25' % (i, i % 7, i)
             for i in range(11000 if shift % 20 == 0 else 9)]
        data = ('\n'.join(lines) + '\n').encode()
        table = read(run('csv2bin', data, '-q', '-t', '2').stdout)
        n = table.num_rows
        assert n == len(lines) - 1
        assert table.column(0).to_pylist() == list(range(n))
        assert table.column(1).to_pylist() == \
            ['x "%d" y\n z' % (i % 7) for i in range(n)]
        assert table.column(2).to_pylist() == [i + .25 for i in range(n)]


def check_round(n):
    for _ in range(n):
        rows = random.choice([1, 7, 500])
        bits = [random.getrandbits(64) for _ in range(rows)]
        doubles = pa.array(bits, pa.uint64()).view(pa.float64()).to_pylist()
        # NaN reads back as missing, and a word keeps text from being one.
        doubles = [None if d != d else d for d in doubles] + [.5]
        ints = [random.randrange(-2 ** 63, 2 ** 63) for _ in range(rows)]
        texts = [random.choice(WORDS) or None for _ in range(rows)]
        texts = [None if t in MISSING else t for t in texts] + ['word']
        table = pa.table({'d': doubles, 'i': ints + [None],
                          't': pa.array(texts).dictionary_encode()})
        out = io.BytesIO()
        with pa.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table, max_chunksize=random.choice([1, 64,
                                                                   1000]))
        text = run('bin2csv', out.getvalue()).stdout
        again = read(run('csv2bin', text, '-q', '--type', 't=category').stdout)
        for name in table.column_names:
            assert again.column(name).to_pylist() == \
                table.column(name).to_pylist(), (name, text)


random.seed(20)
if sys.argv[1] == 'random':
    check_random(int(sys.argv[2]))
elif sys.argv[1] == 'blocks':
    check_blocks()
else:
    check_round(int(sys.argv[2]))
print('ok')
