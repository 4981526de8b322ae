/** Longest request target, in bytes: a query of a few thousand conditions. Longer ones go to `POST …/query`. */
export const maxTargetBytes = 65_536
/** Request line and headers together, in bytes. */
export const maxHeadBytes = maxTargetBytes + 16_384
