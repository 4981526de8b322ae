/** Receives RTF: the tokens of the format, with groups resolved and characters decoded. */
export interface RtfHandler {
  openGroup(): void
  closeGroup(): void
  /** A control word or symbol. `value`: its number, if it has one. `isOptional`: preceded by an asterisk. */
  control(word: string, value: number | undefined, isOptional: boolean): void
  text(text: string): void
}

/** The number of fallback characters after a `\uN`, and the encoding of bytes. */
interface Group {
  readonly fallbackUnits: number
  readonly encoding: string
}

/**
 * Reads RTF 1.9 token by token, without recursion: `\'hh` and raw bytes in the encoding of the document and the current font,
 * `\uN` without its fallback; `\binN` is skipped.
 *
 * @returns whether every group was closed: not in a truncated file
 */
export function readRtf(bytes: Uint8Array, handler: RtfHandler): boolean {
  const groups: Group[] = []
  let group: Group = { fallbackUnits: 1, encoding: 'windows-1252' }
  let documentEncoding = 'windows-1252'
  const fonts = new Map<number, string>()
  let tableFont: number | undefined
  let tableDepth = 0
  let pending: number[] = []
  let toSkip = 0
  let isOptional = false

  const flush = (): void => {
    if (pending.length === 0) return
    handler.text(new TextDecoder(group.encoding).decode(Uint8Array.from(pending)))
    pending = []
  }
  const byte = (value: number): void => {
    if (toSkip > 0) toSkip--
    else if (pending.push(value) >= maxPending) flush()
  }
  const unit = (code: number): void => {
    flush()
    handler.text(String.fromCharCode(code & 0xffff))
    toSkip = group.fallbackUnits
  }
  /** Control words that affect this reader; the handler receives all of them as well. */
  const obey = (word: string, value: number | undefined): void => {
    if (word === 'uc') group = { ...group, fallbackUnits: Math.max(0, value ?? 1) }
    else if (word === 'ansicpg' || word === 'mac') {
      documentEncoding = word === 'mac' ? 'macintosh' : encodingOfPage(value ?? 1252)
      group = { ...group, encoding: documentEncoding }
    } else if (word === 'fonttbl') tableDepth = groups.length
    else if (tableDepth > 0 && word === 'f') tableFont = value
    else if (tableDepth > 0 && word === 'fcharset' && tableFont !== undefined) {
      const encoding = encodingsOfCharset.get(value ?? 0)
      if (encoding !== undefined) fonts.set(tableFont, encoding)
    } else if (word === 'f' || word === 'af' || word === 'plain') {
      group = { ...group, encoding: (word === 'plain' ? undefined : fonts.get(value ?? 0)) ?? documentEncoding }
    }
  }

  let at = 0
  while (at < bytes.length) {
    const first = bytes[at] ?? 0
    at++
    if (first === 0x7b) {
      flush()
      toSkip = 0
      groups.push(group)
      handler.openGroup()
    } else if (first === 0x7d) {
      flush()
      toSkip = 0
      if (groups.length <= tableDepth) tableDepth = 0
      group = groups.pop() ?? group
      handler.closeGroup()
      if (groups.length === 0) return true
    } else if (first !== 0x5c) {
      if (first !== 0x0a && first !== 0x0d && first !== 0) byte(first)
    } else {
      const control = readControl(bytes, at)
      at = control.to
      if (control.word === "'") byte(control.value ?? 63)
      else if (control.word === 'u') unit(control.value ?? 63)
      else if (control.word === '*') isOptional = true
      else if (control.word === 'bin') at += Math.max(0, control.value ?? 0)
      else if (toSkip > 0) toSkip--
      else if (literals.has(control.word)) byte(control.word.charCodeAt(0))
      else {
        flush()
        obey(control.word, control.value)
        handler.control(control.word, control.value, isOptional)
        isOptional = false
      }
    }
  }
  flush()
  return groups.length === 0 && bytes.length > 0
}

const maxPending = 1 << 15
const literals: ReadonlySet<string> = new Set(['\\', '{', '}'])

interface Control {
  readonly word: string
  readonly value: number | undefined
  readonly to: number
}

const isLetter = (byte: number): boolean => (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a)
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39
/** The specification allows 32 letters and 10 digits. */
const maxWordBytes = 40

/** @param from the offset after the backslash */
function readControl(bytes: Uint8Array, from: number): Control {
  let to = from
  while (to - from < maxWordBytes && isLetter(bytes[to] ?? 0)) to++
  if (to === from) {
    const word = String.fromCharCode(bytes[from] ?? 0)
    if (word !== "'") return { word, value: undefined, to: from + 1 }
    const value = Number.parseInt(Buffer.from(bytes.subarray(from + 1, from + 3)).toString('latin1'), 16)
    return { word, value: Number.isNaN(value) ? undefined : value, to: from + 3 }
  }
  const word = Buffer.from(bytes.subarray(from, to)).toString('latin1')
  const digitsFrom = to
  if (bytes[to] === 0x2d) to++
  while (to - digitsFrom < maxWordBytes && isDigit(bytes[to] ?? 0)) to++
  const value = Number.parseInt(Buffer.from(bytes.subarray(digitsFrom, to)).toString('latin1'), 10)
  if (bytes[to] === 0x20) to++
  return { word, value: Number.isNaN(value) ? undefined : value, to }
}

function encodingOfPage(page: number): string {
  if ((page >= 1250 && page <= 1258) || page === 874) return `windows-${page}`
  return encodingsOfPage.get(page) ?? 'windows-1252'
}

const encodingsOfPage: ReadonlyMap<number, string> = new Map([
  [866, 'ibm866'],
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [10000, 'macintosh'],
  [10007, 'x-mac-cyrillic'],
  [20866, 'koi8-r'],
  [21866, 'koi8-u'],
  [28595, 'iso-8859-5'],
  [65001, 'utf-8'],
])

/**
 * Character sets of fonts. 0 (ANSI), 1 (default) and 2 (symbol) are missing: the code page of the document applies to them,
 * because many writers of Cyrillic set the code page and leave every font at 0.
 */
const encodingsOfCharset: ReadonlyMap<number, string> = new Map([
  [77, 'macintosh'],
  [128, 'shift_jis'],
  [129, 'euc-kr'],
  [134, 'gbk'],
  [136, 'big5'],
  [161, 'windows-1253'],
  [162, 'windows-1254'],
  [163, 'windows-1258'],
  [177, 'windows-1255'],
  [178, 'windows-1256'],
  [186, 'windows-1257'],
  [204, 'windows-1251'],
  [222, 'windows-874'],
  [238, 'windows-1250'],
])
