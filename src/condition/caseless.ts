/** ASCII without letters. */
const CASELESS = /^[ -@[-`{-~]*$/

/**
 * Whether case folding leaves a text as it is, and no other text has the same case-folded form: numbers, stamps, sys_ids and lists of them. No
 * character of any alphabet has a digit or a mark of ASCII as its lower case.
 */
export const isCaseless = (text: string): boolean => CASELESS.test(text)
