/* Looks up a file in the generated table. Does not know what the files mean. */
#include "common/embedded.h"

#include <stdlib.h>
#include <string.h>

static int
compare_path(const void *path, const void *file)
{
    return strcmp(path, ((const struct embedded_file *)file)->path);
}

const char *
embedded_text(const char *path)
{
    const struct embedded_file *file =
        bsearch(path, embedded_files, embedded_files_count, sizeof embedded_files[0], compare_path);

    return file ? file->text : NULL;
}
