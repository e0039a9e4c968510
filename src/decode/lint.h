/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Says what libtraceevent may be given without crashing. */
#pragma once

#include "decode/decode.h"

/* False for a print format that is too long, too deep, or may divide by zero. */
bool lint_print(struct decode_text print);
/* False when a field's name or type holds more than names and types do. */
bool lint_fields(const struct event *event);
