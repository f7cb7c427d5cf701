# rf-fit: what it makes of columns and labels.

setup() {
	load helper
	load rf-fit
	common_setup
	needs_tool rf-fit
	needs_python pyarrow numpy
}

# --- Labels and classes --------------------------------------------------

@test "whole-number labels without a task end with 64 and name --task" {
	data 'x=[1.0,2.0]' 'y=[0,1]' >in
	run -64 --separate-stderr rf-fit -l y in
	[[ $stderr == *"'y' has whole numbers"*--task* ]] || fail "$stderr"
	[ -z "$output" ]
	rf-fit -q -l y --task regression in >out
	rf-fit -q -l y --task classification in >out
	assert_equal "$(show out 'meta["rf.classes"]')" '["0","1"]'
}

@test "the task of a stream is that of its own label" {
	data --meta rf.task=classification 'x=[1.0,2.0]' 'z=[0.5,1.5]' \
	    'n=[4,5]' 'y@rf.role=label=["a","b"]' >in
	rf-fit -q -l z in >out
	assert_equal "$(show out 'meta["rf.task"]')" regression
	rf-fit -q -l y in >out
	assert_equal "$(show out 'meta["rf.task"]')" classification
	run -64 --separate-stderr rf-fit -l n in
	[[ $stderr == *"'n' has whole numbers"*--task* ]] || fail "$stderr"
	# without a label of its own the task can only be that of --label
	data --meta rf.task=classification 'x=[1.0,2.0]' 'y=[4,5]' >in
	rf-fit -q -l y in >out
	assert_equal "$(show out 'meta["rf.classes"]')" '["4","5"]'
}

@test "a stream without a label column is refused with 64, never guessed" {
	data 'x=[1.0,2.0]' 'z=[0.5,1.5]' >in
	run -64 --separate-stderr rf-fit in
	[[ $stderr == *"no label column"*--label* ]] || fail "$stderr"
}

@test "a label is named, or numbered where no column has that name" {
	data 'x=[1.0,2.0]' 'y=["a","b"]' >in
	rf-fit -q -l y in >by_name
	rf-fit -q -l 2 in >by_number
	cmp by_name by_number
	data '2=["a","b"]' 'y=["c","d"]' >in
	rf-fit -q -l 2 in >out
	assert_equal "$(show out 'meta["rf.classes"]')" '["a","b"]'
	run -64 --separate-stderr rf-fit -l nosuch in
	[[ $stderr == *"no column 'nosuch'"* ]] || fail "$stderr"
}

@test "labels -3, 0 and 4 are sorted by value and given back as integers" {
	data 'x=[1.0,2.0,3.0]' 'y=[4,-3,0]' >in
	rf-fit -q --task classification -l y in >out
	assert_equal "$(show out 'meta["rf.classes"]')" '["-3","0","4"]'
	assert_equal "$(show out 'meta["rf.label.type"]')" "int"
}

@test "numbers sort by value and texts by bytes, whatever the order of rows" {
	data 'x=[1.0,2.0,3.0]' 'y=[10,9,-10]' >in
	rf-fit -q --task classification -l y in >out
	assert_equal "$(show out 'meta["rf.classes"]')" '["-10","9","10"]'
	data 'x=[1.0,2.0,3.0]' 'y=["b","B","a"]' >in
	rf-fit -q -l y in >out
	assert_equal "$(show out 'meta["rf.classes"]')" '["B","a","b"]'
	data 'x=[1.0,2.0]' 'y=[True,False]' >in
	rf-fit -q -l y in >out
	assert_equal "$(show out 'meta["rf.classes"]')" '["false","true"]'
}

@test "a class of the dictionary that no row has is a class of the model" {
	data 'x=[1.0,2.0]' 'y:dictionary(a,b)=["b","b"]' >in
	rf-fit -q -l y -n 1 in >out
	assert_equal "$(show out 'meta["rf.classes"]')" '["a","b"]'
	assert_equal "$(show out '[r["leaf"] for r in t]')" \
	    "[[{'class': 1, 'value': 2.0}]]"
}

@test "one class gives single leaves" {
	data 'x=[1.0,2.0,3.0]' 'y=["a","a","a"]' >in
	rf-fit -q -l y -n 3 in >out
	assert_equal "$(show out '[r["node"] for r in t]')" "[0, 0, 0]"
}

@test "a constant target comes back exactly" {
	data 'x=[1.0,2.0,3.0]' 'y=[-2.5,-2.5,-2.5]' >in
	rf-fit -q -l y -n 1 in >out
	assert_equal "$(show out 't[0]["leaf"][0]["value"]')" "-2.5"
}

@test "15 classes of one row each come back without the bootstrap" {
	data 'x=np.arange(15.0)' 'y=[chr(97+i) for i in range(15)]' >in
	rf-fit -q -l y -n 1 --no-bootstrap in >out
	assert_equal "$(show out \
	    'sorted(e["class"] for r in t for e in r["leaf"] or [])')" \
	    "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]"
}

@test "300 and 70 000 classes are all there" {
	data 'x=np.arange(900.0)' 'y=np.arange(900)//3' >in
	rf-fit -q --task classification -l y -n 2 --no-bootstrap in >out
	assert_equal "$(show out 'len(json.loads(meta["rf.classes"]))')" 300
	data 'x=np.arange(70000.0)' 'y=np.arange(70000)' >in
	rf-fit -q --task classification -l y -n 1 --max-depth 3 in >out
	assert_equal "$(show out 'len(json.loads(meta["rf.classes"]))')" 70000
}

@test "a missing label is an error that says the row, or dropped" {
	data 'x=[1.0,2.0,3.0]' 'y=["a",None,"b"]' >in
	run -65 --separate-stderr rf-fit -l y in
	[[ $stderr == *"row 2"*--drop-unlabelled* ]] || fail "$stderr"
	rf-fit -q -l y --drop-unlabelled in >out
	assert_equal "$(show out 'meta["rf.rows"]')" 2
	data 'x=[1.0,2.0,3.0]' 'y=[1.5,np.nan,2.5]' >in
	run -65 --separate-stderr rf-fit -l y in
	[[ $stderr == *"row 2"* ]] || fail "$stderr"
	data 'x=[1.0,2.0,3.0]' 'y=[1.5,np.inf,2.5]' >in
	run -65 --separate-stderr rf-fit -l y in
	[[ $stderr == *"row 2"*infinite* ]] || fail "$stderr"
	data 'x=[1.0]' 'y:string=[None]' >in
	run -65 rf-fit -l y --drop-unlabelled in
}

# --- Features ------------------------------------------------------------

@test "-0.0 and 0.0 are one value" {
	data 'x=[-0.0,0.0,1.0]' 'y=["a","a","b"]' >in
	rf-fit -q -l y -n 1 --no-bootstrap in >out
	assert_equal "$(show out 't[0]["threshold"], len(t)')" "(0.5, 3)"
}

@test "the threshold between huge numbers is finite and splits them" {
	data 'x:float32=[3.0e38,3.4e38]' 'y=["a","b"]' >in
	rf-fit -q -l y -n 1 --no-bootstrap in >out
	assert_equal "$(show out '3.0e38 < t[0]["threshold"] < 3.4e38')" True
	data 'x=[1.7e308,1.75e308]' 'y=["a","b"]' >in
	rf-fit -q -l y -n 1 --no-bootstrap in >out
	assert_equal "$(show out '1.7e308<=t[0]["threshold"]<1.75e308')" True
}

@test "infinities are ordinary values" {
	data 'x=[-np.inf,1.0,np.inf]' 'y=["a","b","c"]' >in
	rf-fit -q -l y -n 1 --no-bootstrap in >out
	assert_equal "$(show out \
	    'sorted(r["threshold"] for r in t if r["left"])')" "[-inf, 1.0]"
}

@test "missing against the rest is a threshold of +inf" {
	data 'x=[1.0,2.0,None]' 'y=["a","a","b"]' >in
	rf-fit -q -l y -n 1 --no-bootstrap in >out
	assert_equal "$(show out \
	    't[0]["threshold"], t[0]["missing_left"], len(t)')" \
	    "(inf, False, 3)"
}

@test "constant columns, columns of nothing and no column give single leaves" {
	data 'x=[5.0]*10' 'z:null=[None]*10' 'w=[np.nan]*10' \
	    'y=["a","b"]*5' >in
	rf-fit -q -l y -n 2 in >out
	assert_equal "$(show out 'len(t)')" 2
	data 'y=["a","b"]*5' >in
	rf-fit -q -l y -n 2 in >out
	assert_equal "$(show out 'len(t), meta["rf.features"]')" "(2, '[]')"
}

@test "one row and two rows fit" {
	data 'x=[1.0]' 'y=["a"]' >in
	rf-fit -q -l y -n 2 in >out
	assert_equal "$(show out 'len(t)')" 2
	run --separate-stderr rf-fit -l y -n 2 --oob in -o out
	assert_success
	[[ $stderr == *"out-of-bag accuracy nan (0 of 1 row)"* ]] ||
	    fail "$stderr"
	data 'x=[1.0,2.0]' 'y=["a","b"]' >in
	rf-fit -q -l y -n 1 --no-bootstrap in >out
	assert_equal "$(show out 't[0]["threshold"]')" 1.5
}

@test "whole numbers beyond 2^53 are told apart, as int64" {
	data 'x=[9007199254740992,9007199254740993]' 'y=["a","b"]' >in
	rf-fit -q -l y -n 1 --no-bootstrap in >out
	assert_equal "$(show out 't[0]["threshold_int"], t[0]["threshold"]')" \
	    "(9007199254740992, None)"
	data 'x:uint64=[1,2**63]' 'y=["a","b"]' >in
	run -65 --separate-stderr rf-fit -l y in
	[[ $stderr == *x*2^63* ]] || fail "$stderr"
}

@test "timestamps and dates compare as int64 in their unit" {
	data 'x:timestamp[us]=[10,21]' 'd:date32=[5,5]' 'y=["a","b"]' >in
	rf-fit -q -l y -n 1 --no-bootstrap in >out
	assert_equal "$(show out 't[0]["threshold_int"]')" 15
	assert_equal "$(show out \
	    '[f["origin"] for f in json.loads(meta["rf.features"])]')" \
	    "['timestamp[us]', 'date32']"
}

@test "narrow numbers compare in float32, others in float64" {
	data 'a:int8=[1,2]' 'b:int32=[1,2]' 'c:float32=[1,2]' 'd=[1.0,2.0]' \
	    'e=[True,False]' 'y=["a","b"]' >in
	rf-fit -q -l y -n 1 in >out
	assert_equal "$(show out '[f["precision"] for f in
	    json.loads(meta["rf.features"])]')" \
	    "['float32', 'float64', 'float32', 'float64', 'float32']"
	rf-fit -q -l y -n 1 --float32 in >out
	assert_equal "$(show out '{f["precision"] for f in
	    json.loads(meta["rf.features"])}')" "{'float32'}"
}

@test "--float32 says which column overflows" {
	data 'x=[1.0,1e300]' 'y=["a","b"]' >in
	run --separate-stderr rf-fit -l y -n 1 --float32 in -o out
	[[ $stderr == *"column 'x'"*float32* ]] || fail "$stderr"
}

@test "categories of few rows are not part of the vocabulary" {
	data 'x:dictionary=["b"]*5+["a"]*6+["c"]*4' \
	    'y=["p"]*5+["q"]*6+["p"]*4' >in
	rf-fit -q -l y -n 1 --no-bootstrap in >out
	assert_equal "$(show out 'meta["rf.vocab.x"]')" '["a","b"]'
	# c counts as missing; the share of q ascends: {b} and missing go left
	assert_equal "$(show out 't[0]["cats"], t[0]["missing_left"]')" \
	    "(b'\\x02', True)"
	rf-fit -q -l y -n 1 --min-category-rows 4 in >out
	assert_equal "$(show out 'meta["rf.vocab.x"]')" '["a","b","c"]'
	rf-fit -q -l y -n 1 --max-categories 1 in >out
	assert_equal "$(show out 'meta["rf.vocab.x"]')" '["a"]'
}

@test "a text column without a frequent text is left out with a note" {
	data 'x=["a","b","c"]' 'z=[1.0,2.0,3.0]' 'y=["p","q","q"]' >in
	run --separate-stderr rf-fit -l y -n 1 in -o out
	[[ $stderr == *"column 'x' is left out"* ]] || fail "$stderr"
	assert_equal "$(show out 'len(json.loads(meta["rf.features"]))')" 1
}

@test "--ordinal makes numbers of sorted texts" {
	data 'x=["m","l","s"]' 'y=["p","q","q"]' >in
	rf-fit -q -l y -n 1 --ordinal x --no-bootstrap in >out
	assert_equal "$(show out 'meta["rf.vocab.x"]')" '["l","m","s"]'
	assert_equal "$(show out 'sorted(r["threshold"] for r in t
	    if r["left"])')" "[0.5, 1.5]"
	run -64 --separate-stderr rf-fit -l y --ordinal nosuch in
	[[ $stderr == *nosuch* ]] || fail "$stderr"
	run -64 --separate-stderr rf-fit -l y --ordinal y in
	[[ $stderr == *"column 'y' is the label"* ]] || fail "$stderr"
}

@test "numbers stay numbers under --ordinal and rf.type=ordinal" {
	data 'x@rf.type=ordinal=[2.0,10.0]' 'z=[9.0,10.0]' 'y=["a","b"]' >in
	rf-fit -q -l y -n 1 --no-bootstrap --max-features all --ordinal z in \
	    >out
	assert_equal "$(show out '[f["type"] for f in
	    json.loads(meta["rf.features"])], t[0]["threshold"] in (6, 9.5)')" \
	    "(['numeric', 'numeric'], True)"
}

@test "a role that is not known is said" {
	data 'x@rf.role=featur=[1.0,2.0]' 'y=["a","b"]' >in
	run --separate-stderr rf-fit -l y -n 1 in -o out
	assert_success
	[[ $stderr == *"'x' is left aside: its role 'featur'"* ]] ||
	    fail "$stderr"
}

@test "roles say what is no feature, and so does the type" {
	data 'a@rf.role=id=[1.0,2.0]' 'b@rf.role=ignore=[1.0,2.0]' \
	    'c@rf.role=fold=[1,2]' '__index_level_0__=[0,1]' \
	    'd=[b"x",b"y"]' 'e=[1.0,2.0]' 'y@rf.role=label=["a","b"]' >in
	run --separate-stderr rf-fit -n 1 in -o out
	assert_success
	[[ $stderr == *"column 'd' is left out: type binary"* ]] ||
	    fail "$stderr"
	assert_equal "$(show out \
	    '[f["name"] for f in json.loads(meta["rf.features"])]')" "['e']"
}

@test "two columns of one name are refused where the name is needed" {
	"$RF_PYTHON" - >in <<-'END'
		import sys, pyarrow as pa
		t = pa.table([[1.0, 2.0], [1.0, 2.0], ["a", "b"]],
		             names=["x", "x", "y"])
		with pa.ipc.new_stream(sys.stdout.buffer, t.schema) as out:
		    out.write_table(t)
	END
	run -65 --separate-stderr rf-fit -l y in
	[[ $stderr == *"name 'x'"* ]] || fail "$stderr"
	run -65 --separate-stderr rf-fit -l x in
}

@test "the kind of the batches and of dictionaries does not show" {
	data 'x=rng.normal(size=1000)' 'c=[["u","v","w"][i%3] for i in
	    range(1000)]' 'y=["ab"[i%2] for i in range(1000)]' >one
	data --batch 7 'x=rng.normal(size=1000)' 'c:dictionary=[["u","v","w"][i%3]
	    for i in range(1000)]' 'y:dictionary(b,a)=["ab"[i%2] for i in
	    range(1000)]' >two
	rf-fit -q -l y -n 3 one >a
	rf-fit -q -l y -n 3 two >b
	cmp a b
}

@test "several streams are read as one; their columns must agree" {
	data 'x=np.arange(100.0)' 'y=["ab"[i//50] for i in range(100)]' >all
	data 'x=np.arange(40.0)' 'y=["ab"[i//50] for i in range(40)]' >one
	data 'x=np.arange(40.0,100.0)' \
	    'y=["ab"[i//50] for i in range(40,100)]' >two
	rf-fit -q -l y all >a
	rf-fit -q -l y one two >b
	cmp a b
	data 'z=[1.0]' 'y=["a"]' >other
	run -65 --separate-stderr rf-fit -l y one other
	[[ $stderr == *"other: column 1 'z' differs"* ]] || fail "$stderr"
}
