/**
 * Capital letters, digits and some other characters for drawn pictures, 5 pixels wide and 7 high: the character, then its rows from the
 * top as two hexadecimal digits each, whose five lowest bits are the pixels.
 */
const drawn = `
A0e11111f111111 B1e11111e11111e C0e11101010110e D1e11111111111e E1f10101e10101f F1f10101e101010 G0e11101711110f
H1111111f111111 I0e04040404040e J0702020202120c K11121418141211 L1010101010101f M111b1515111111 N11191513111111
O0e11111111110e P1e11111e101010 Q0e11111115120d R1e11111e141211 S0f10100e01011e T1f040404040404 U1111111111110e
V11111111110a04 W11111115151b11 X11110a040a1111 Y11110a04040404 Z1f01020408101f 00e11131519110e 1040c040404040e
20e11010608101f 31f02040201110e 402060a121f0202 51f101e0101110e 60608101e11110e 71f010204080808 80e11110e11110e
90e11110f01020c -0000001f000000 .00000000000c0c ,000000000c0408 :000c0c000c0c00 Б1f10101e11111e Г1f101010101010
Д060a0a0a0a1f11 Ж15150e040e1515 З0e11010601110e И11111315191111 Й0a041113151911 Л07090909090911 П1f111111111111
У1111110f01110e Ф040e1515150e04 Ц12121212121f01 Ч1111110f010101 Ш1515151515151f Щ15151515151f01 Ъ1808080e09090e
Ы11111119151519 Ь1010101e11111e Э0e11010701110e Ю1215151d151512 Я0f11110f050911
`

/** Cyrillic letters that look like Latin ones. */
const alike: Readonly<Record<string, string>> = {
  А: 'A',
  В: 'B',
  Е: 'E',
  К: 'K',
  М: 'M',
  Н: 'H',
  О: 'O',
  Р: 'P',
  С: 'C',
  Т: 'T',
  Х: 'X',
}

const rowsBySign: ReadonlyMap<string, readonly number[]> = new Map(
  drawn
    .trim()
    .split(/\s+/)
    .map((each) => [each.slice(0, 1), [...Buffer.from(each.slice(1), 'hex')]] as const),
)

export const letterWidth = 5
export const letterHeight = 7

/** Rows of a sign from the top; bit 4 is the leftmost pixel. An unknown sign is blank. */
export function rowsOf(sign: string): readonly number[] {
  return rowsBySign.get(alike[sign] ?? sign) ?? []
}
