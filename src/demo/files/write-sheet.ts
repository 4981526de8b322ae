const leading = 16
const left = 60
const top = 780

/**
 * An A4 page as PDF: the first line is the headline.
 *
 * @param lines Latin-1, the character set of standard PDF fonts; about 85 characters fit
 */
export function writeSheet([headline = '', ...lines]: readonly string[]): Buffer {
  const content = [
    `BT /F2 18 Tf ${left} ${top} Td (${escaped(headline)}) Tj ET`,
    `BT /F1 11 Tf ${leading} TL ${left} ${top - 2 * leading} Td`,
    ...lines.map((line) => `(${escaped(line)}) Tj T*`),
    'ET',
  ].join('\n')
  const font = (name: string): string =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`
  return assemble([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>',
    `<< /Length ${Buffer.byteLength(content, 'latin1')} >>\nstream\n${content}\nendstream`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    `<< /Title (${escaped(headline)}) >>`,
  ])
}

const escaped = (text: string): string => text.replace(/[\\()]/g, '\\$&')

/** The first object is the catalogue, the last one contains the metadata of the document. */
function assemble(objects: readonly string[]): Buffer {
  let text = '%PDF-1.7\n'
  const places = objects.map((object, index) => {
    const place = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(place).padStart(10, '0')} 00000 n \n`
  })
  const trailer = `<< /Size ${objects.length + 1} /Root 1 0 R /Info ${objects.length} 0 R >>`
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`
  return Buffer.from(`${text}${table}trailer\n${trailer}\nstartxref\n${text.length}\n%%EOF\n`, 'latin1')
}
