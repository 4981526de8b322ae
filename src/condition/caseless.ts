/** ASCII without letters. */
const CASELESS = /^[ -@[-`{-~]*$/

/**
 * Whether case folding does not change a text, and no other text has the same case-folded form: numbers, timestamps, sys_ids and lists of
 * them. No character of any alphabet has an ASCII digit or punctuation mark as its lower case.
 */
export const isCaseless = (text: string): boolean => CASELESS.test(text)
