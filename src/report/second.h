/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does trace-cmd's library read the same from a recording? */
#pragma once

#include "report/input.h"

/* Reads the whole file once more and has trace-cmd's library read it too. What differs, and what the library cannot
 * read, becomes a finding of the file. False when the library was not asked: it was built without the file's compression. Call it while no other thread runs. */
bool second_opinion(const struct input *in, struct input_file *file);
