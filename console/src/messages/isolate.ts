/** Right-to-left letters and the marks that change the direction of text. */
const changesDirection =
  /[\u0590-\u08FF\u200F\u202A-\u202E\u2066-\u2069\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u

const firstStrong = '\u2068'
const end = '\u2069'

/**
 * A text that can stand in a sentence: its direction ends with it. Without this, a right-to-left mark in a record reverses the words
 * after it. Text without such characters stays as it is. Half of a surrogate pair becomes U+FFFD, as the browser displays it.
 */
export function isolated(text: string): string {
  const whole = text.toWellFormed()
  return changesDirection.test(whole) ? firstStrong + balanced(whole) + end : whole
}

/** Ends only the isolates that the text itself begins, and all of them. */
function balanced(text: string): string {
  let open = 0
  let kept = ''
  for (const character of text) {
    if (character === end && open === 0) continue
    if (character === end) open -= 1
    else if (/[\u2066-\u2068]/.test(character)) open += 1
    kept += character
  }
  return kept + end.repeat(open)
}
