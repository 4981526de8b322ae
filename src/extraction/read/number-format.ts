/** How a spreadsheet displays a number that is neither a date nor a time. */
export interface NumberPattern {
  readonly prefix: string
  readonly suffix: string
  /** Minimum number of digits before the point. */
  readonly minDigits: number
  /** Minimum and maximum number of decimals. */
  readonly minDecimals: number
  readonly maxDecimals: number
  readonly isGrouped: boolean
  /** A share, displayed in hundredths. */
  readonly isPercent: boolean
}

/** For positive numbers, and for negative ones if they have a pattern of their own. */
export interface NumberFormat {
  readonly positive: NumberPattern
  readonly negative?: NumberPattern
}

/** @returns undefined for formats that are not plain numbers: `General`, text, fractions, powers of ten, thousands, conditions */
export function numberFormatOf(code: string): NumberFormat | undefined {
  const [first = '', second] = sectionsOf(code)
  const positive = patternOf(first)
  if (positive === undefined) return undefined
  const negative = second === undefined ? undefined : patternOf(second)
  return negative === undefined ? { positive } : { positive, negative }
}

/** Separated by semicolons that are not quoted. */
function sectionsOf(code: string): readonly string[] {
  return code.match(/(?:"[^"]*"|\\.|[^;])+/g) ?? []
}

function patternOf(section: string): NumberPattern | undefined {
  const literals: string[] = []
  const keep = (text: string): string => `\u0001${String.fromCharCode(0xe000 + literals.push(text) - 1)}`
  const plain = section
    .replace(/"([^"]*)"|\\(.)/g, (_, quoted?: string, escaped?: string) => keep(quoted ?? escaped ?? ''))
    .replace(/\[\$([^\]-]*)(?:-[^\]]*)?\]/g, (_, currency: string) => keep(currency))
    .replace(/\[[^\]]*\]|\*./g, '')
    .replace(/_./g, ' ')
  if (/general|@|\/|e[+-]/i.test(plain) || literals.length > 50 || isConditional(section)) return undefined
  const [, before = '', digits, after = ''] = /^([^0#?]*)([0#?][0#?,]*(?:\.[0#?]*)?)([^0#?]*)$/.exec(plain) ?? []
  // A trailing comma scales to thousands or millions.
  if (digits === undefined || digits.endsWith(',') || after.startsWith(',')) return undefined
  const [whole = '', decimals = ''] = digits.split('.')
  const stated = (text: string): string =>
    text.replace(/\u0001(.)/g, (_, at: string) => literals[at.charCodeAt(0) - 0xe000] ?? '')
  return {
    prefix: stated(before).trimStart(),
    suffix: stated(after).trimEnd(),
    minDigits: Math.min(Math.max(whole.replace(/[^0]/g, '').length, 1), 15),
    minDecimals: decimals.replace(/[^0]/g, '').length,
    maxDecimals: Math.min(decimals.length, 15),
    isGrouped: whole.includes(','),
    isPercent: plain.includes('%'),
  }
}

/** Whether the section is for some values only: `[<1]0.00%`. */
const isConditional = (section: string): boolean => /\[[<>=]/.test(section.replace(/"[^"]*"|\\./g, ''))

export function showNumber(value: number, { positive, negative }: NumberFormat): string {
  const pattern = value < 0 ? (negative ?? positive) : positive
  const { prefix, suffix, minDigits, minDecimals, maxDecimals, isGrouped, isPercent } = pattern
  const amount = Math.abs(value) * (isPercent ? 100 : 1)
  const digits = new Intl.NumberFormat('en-US', {
    minimumIntegerDigits: minDigits,
    minimumFractionDigits: minDecimals,
    maximumFractionDigits: maxDecimals,
    useGrouping: isGrouped,
    roundingMode: 'halfExpand',
  }).format(Number(amount.toPrecision(15)))
  return `${value < 0 && negative === undefined ? '-' : ''}${prefix}${digits}${suffix}`
}
