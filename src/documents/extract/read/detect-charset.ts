import { analyse } from 'chardet'

/** Enough for the statistics of a language; more costs time and tells no more. */
const sampleBytes = 20_000
/** With fewer bytes above ASCII a guess is luck. */
const fewestHighBytes = 30

/** What the detector calls it, and the label of the Encoding standard. Cyrillic and Western texts are told by `decode-text.ts`. */
const detected: ReadonlyMap<string, { readonly label: string; readonly least: number }> = new Map(
  [
    ['ISO-8859-2', 'iso-8859-2', 20],
    ['windows-1250', 'windows-1250', 20],
    ['ISO-8859-5', 'iso-8859-5', 20],
    ['ISO-8859-6', 'iso-8859-6', 20],
    ['windows-1256', 'windows-1256', 20],
    ['ISO-8859-7', 'iso-8859-7', 20],
    ['windows-1253', 'windows-1253', 20],
    ['ISO-8859-8', 'windows-1255', 20],
    ['windows-1255', 'windows-1255', 20],
    ['ISO-8859-9', 'windows-1254', 30],
    ['windows-1254', 'windows-1254', 30],
    ['windows-1257', 'windows-1257', 20],
    ['EUC-JP', 'euc-jp', 90],
    ['Shift_JIS', 'shift_jis', 90],
    ['EUC-KR', 'euc-kr', 90],
    ['GB18030', 'gb18030', 90],
    ['Big5', 'big5', 90],
  ].map(([name, label, least]) => [String(name), { label: String(label), least: Number(least) }]),
)

/**
 * The encoding that the statistics of languages speak for, if it is one of those above.
 *
 * @returns undefined when the text is too short to tell, or is likelier Cyrillic in another encoding or Western
 */
export function detectCharset(bytes: Uint8Array): string | undefined {
  const sample = bytes.subarray(0, sampleBytes)
  if (!hasHighBytes(sample)) return undefined
  const [best] = analyse(sample)
  const known = best === undefined ? undefined : detected.get(best.name)
  return known !== undefined && (best?.confidence ?? 0) >= known.least ? known.label : undefined
}

function hasHighBytes(sample: Uint8Array): boolean {
  let count = 0
  for (const byte of sample) if (byte >= 0x80 && ++count >= fewestHighBytes) return true
  return false
}
