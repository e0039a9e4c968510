/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of digits. */
#include "out/digits.h"

/* Without a NUL at the end: exactly 100 pairs. */
const char digit_pairs[200] __attribute__((nonstring)) = "00010203040506070809"
							 "10111213141516171819"
							 "20212223242526272829"
							 "30313233343536373839"
							 "40414243444546474849"
							 "50515253545556575859"
							 "60616263646566676869"
							 "70717273747576777879"
							 "80818283848586878889"
							 "90919293949596979899";
