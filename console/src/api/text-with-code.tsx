/** Text in which words between backticks are code. */
export function TextWithCode({ text }: { readonly text: string }) {
  let at = 0
  return text.split(/`([^`]+)`/).map((part, index) => {
    at += part.length + 1
    return index % 2 === 1 ? <code key={at}>{part}</code> : part
  })
}
