/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cmocka wants before it is included, once. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
