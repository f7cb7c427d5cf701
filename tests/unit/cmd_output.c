#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static void
put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (file != NULL) {
		fputs(text, file);
		fclose(file);
	}
}

static const char *
get(const char *path)
{
	static char text[100];
	FILE *file = fopen(path, "r");
	size_t size;

	if (file == NULL)
		return "(none)";
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	fclose(file);
	return text;
}

static int
n_files(const char *path)
{
	DIR *directory = opendir(path);
	int n = -2; /* . and .. */

	if (directory == NULL)
		return -1;
	while (readdir(directory) != NULL)
		n++;
	closedir(directory);
	return n;
}

static bool
say(struct rf_output *file, const char *text)
{
	return write(file->fd, text, strlen(text)) == (ssize_t)strlen(text);
}

static void
check_new(void)
{
	struct rf_output file = RF_OUTPUT_NONE;
	struct rf_error err = {0};

	check(rf_output_open(&file, "new", &err) == RF_OK && say(&file, "abc"),
	    "a new file opens");
	check_text(get("new"), "(none)", "and is not there yet");
	check_int(rf_output_commit(&file, &err), RF_OK, "it is committed");
	check_text(get("new"), "abc", "and is there, whole");
	check_int(file.fd, -1, "the structure is empty again");
	check(rf_output_open(&file, "drop", &err) == RF_OK && say(&file, "x"),
	    "another opens");
	rf_output_drop(&file);
	check_int(n_files("."), 1, "dropped, nothing of it is left");
	rf_output_drop(&file);
}

static void
check_old(void)
{
	struct rf_output file = RF_OUTPUT_NONE;
	struct rf_error err = {0};
	struct stat status;

	put("old", "before");
	chmod("old", 0604);
	check(rf_output_open(&file, "./old", &err) == RF_OK &&
		say(&file, "after"),
	    "an old file opens");
	check_text(get("old"), "before", "and stays as it was");
	check_int(rf_output_commit(&file, &err), RF_OK, "until the commit");
	check_text(get("old"), "after", "which replaces it");
	check(stat("old", &status) == 0 && (status.st_mode & 0777) == 0604,
	    "permissions are kept");
	if (rf_output_open(&file, "old", &err) == RF_OK)
		rf_output_drop(&file);
	check_text(get("old"), "after", "a drop leaves it");
}

static void
check_links(void)
{
	struct rf_output file = RF_OUTPUT_NONE;
	struct rf_error err = {0};
	struct stat status;

	mkdir("there", 0777);
	check(symlink("there/target", "link") == 0, "a link to nothing");
	check(rf_output_open(&file, "link", &err) == RF_OK &&
		say(&file, "one") && rf_output_commit(&file, &err) == RF_OK,
	    "is written through");
	check_text(get("there/target"), "one", "to what it names");
	check(rf_output_open(&file, "link", &err) == RF_OK &&
		say(&file, "two") && rf_output_commit(&file, &err) == RF_OK,
	    "as is one to a file");
	check(lstat("link", &status) == 0 && S_ISLNK(status.st_mode),
	    "the link stays one");
	check_text(get("there/target"), "two", "and its file is replaced");
	check_int(n_files("there"), 1, "with nothing beside");
}

static void
check_in_place(void)
{
	struct rf_output file = RF_OUTPUT_NONE;
	struct rf_error err = {0};
	struct stat status;

	check(rf_output_open(&file, "/dev/null", &err) == RF_OK &&
		file.is_in_place && say(&file, "x") &&
		rf_output_commit(&file, &err) == RF_OK,
	    "a device is written in place");
	check(stat("/dev/null", &status) == 0 && S_ISCHR(status.st_mode),
	    "and stays a device");
	check(rf_output_open(&file, "/dev/full", &err) == RF_OK &&
		!say(&file, "x"),
	    "a full device says so at the write");
	rf_output_drop(&file);
	check(rf_output_open(&file, "/dev/stderr", &err) == RF_OK &&
		file.is_in_place && rf_output_commit(&file, &err) == RF_OK,
	    "/dev/stderr is the descriptor, whatever it is");
}

static void
check_refused(void)
{
	static const char *const bad[] = {"no/such/place", ".", "", "old/x"};
	struct rf_output file = RF_OUTPUT_NONE;
	struct rf_error err = {0};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		check_int(rf_output_open(&file, bad[i], &err), RF_ECREATE,
		    "what cannot be created is 73");
		check_int(file.fd, -1, "and leaves nothing open");
	}
	check(strstr(err.message, "old/x: cannot create: ") == err.message,
	    "the message names it");
}

int
main(void)
{
	char work[] = "/tmp/rf-unit-XXXXXX";
	char command[64];

	if (mkdtemp(work) == NULL || chdir(work) != 0)
		return 1;
	check_new();
	check_old();
	check_links();
	check_in_place();
	check_refused();
	snprintf(command, sizeof(command), "rm -rf %s", work);
	check_int(system(command), 0, "the work directory is removed");
	return unit_end();
}
