export interface JsonHandler {
  /** A string, number or boolean, as text. `path`: the enclosing names, outermost first, joined by dots. */
  value(path: string, value: string): void
  /** Called after each member of the outermost object or array. */
  endOfMember(): void
}

/** For deep paths the innermost names are enough; with all of them the work would be quadratic. */
const maxPathNames = 6

interface Container {
  readonly isArray: boolean
  readonly names: readonly string[]
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const literal = /true|false|null/y

/**
 * Traverses JSON without building it and without recursion.
 *
 * @returns whether the text is JSON (RFC 8259); the handler has received everything before the error
 */
export function readJson(text: string, handler: JsonHandler): boolean {
  const open: Container[] = []
  let names: readonly string[] = []
  let at = 0

  const skipSpace = (): void => {
    while (at < text.length && ' \n\r\t'.includes(text.charAt(at))) at++
  }
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  /** `"name" :` inside an object; an array has no names. */
  const readName = (container: Container): boolean => {
    if (container.isArray) return true
    skipSpace()
    const name = readString(text, at)
    if (name === undefined) return false
    at = name.to
    skipSpace()
    if (text[at] !== ':') return false
    at++
    names = [...container.names.slice(1 - maxPathNames), name.value]
    return true
  }

  skipSpace()
  if (text.charCodeAt(at) === 0xfeff) at++
  for (;;) {
    // A value is expected here.
    skipSpace()
    const first = text[at]
    if (first === '{' || first === '[') {
      at++
      const container = { isArray: first === '[', names }
      skipSpace()
      if (text[at] === (container.isArray ? ']' : '}')) at++
      else {
        open.push(container)
        if (!readName(container)) return false
        continue
      }
    } else if (first === '"') {
      const value = readString(text, at)
      if (value === undefined) return false
      at = value.to
      handler.value(names.join('.'), value.value)
    } else {
      const value = match(literal) ?? match(number)
      if (value === undefined || value === '') return false
      if (value !== 'null') handler.value(names.join('.'), value)
    }
    // A value is complete: next, close containers or continue in one.
    for (;;) {
      if (open.length <= 1) handler.endOfMember()
      skipSpace()
      const container = open.at(-1)
      if (container === undefined) return at === text.length
      names = container.names
      if (text[at] === ',') {
        at++
        if (!readName(container)) return false
        break
      }
      if (text[at] !== (container.isArray ? ']' : '}')) return false
      at++
      open.pop()
    }
  }
}

/**
 * The string that begins at `from`. Found by its quotes: one regular expression over a long string would overflow the stack.
 */
function readString(text: string, from: number): { readonly value: string; readonly to: number } | undefined {
  if (text[from] !== '"') return undefined
  let to = text.indexOf('"', from + 1)
  while (to > 0 && isEscaped(text, to)) to = text.indexOf('"', to + 1)
  if (to < 0) return undefined
  try {
    return { value: String(JSON.parse(text.slice(from, to + 1))), to: to + 1 }
  } catch {
    return undefined
  }
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}
