/** ASCII without letters. */
const CASELESS = /^[ -@[-`{-~]*$/

/**
 * Whether folding case leaves a text as it is, and no other text folds to it: numbers, stamps, sys_ids and lists of them. No
 * character of any alphabet has a digit or a mark of ASCII as its lower case.
 */
export const isCaseless = (text: string): boolean => CASELESS.test(text)
