import type { AboutOffice } from '../read/office-parts.ts'
import type { Archive } from '../read/open-archive.ts'
import { readXmlText } from '../read/read-xml.ts'
import type { TextSink } from '../text-builder.ts'
import { createWordBody, extractDocx } from './extract-docx.ts'

const wordOf2003 = /<(?:\w+:)?wordDocument\b[^>]*schemas\.microsoft\.com\/office\/word\/2003\/wordml/
const flatPackage = /<pkg:package\b/
const headUnits = 16_384

/** Whether an XML text is a Word document in one file: Word 2003, or a flat package. */
export function isWordXml(text: string): boolean {
  const head = text.slice(0, headUnits)
  return wordOf2003.test(head) || flatPackage.test(head)
}

export async function extractWordXml(text: string, into: TextSink): Promise<AboutOffice & { readonly pages?: number }> {
  const parts = openFlatPackage(text)
  return parts.names.size > 0 ? extractDocx(parts, into) : extract2003(text, into)
}

/** Every part of the document is in the same text, so each reader searches all of it for its elements. */
async function extract2003(text: string, into: TextSink): Promise<AboutOffice> {
  const whole = Buffer.from(text.replace(/^\ufeff?\s*<\?xml[^>]*\?>/, ''))
  const body = await createWordBody(archiveOf(new Map([[part, whole]])), () => part, into)
  readXmlText(text, body.handler)
  body.finish()
  return {}
}

const part = 'document'

/** The parts of a flat package in one XML text, like entries of an archive. None in other texts. */
function openFlatPackage(text: string): Archive {
  const parts = new Map<string, Buffer>()
  const begin = /<pkg:part\b[^>]*?\bpkg:name="\/?([^"]*)"[^>]*>\s*<pkg:xmlData\b[^>]*>/g
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const end = text.indexOf('</pkg:xmlData>', begin.lastIndex)
    if (end < 0) break
    parts.set(found[1] ?? '', Buffer.from(text.slice(begin.lastIndex, end)))
    begin.lastIndex = end
  }
  return archiveOf(parts)
}

function archiveOf(parts: ReadonlyMap<string, Buffer>): Archive {
  return {
    names: new Set(parts.keys()),
    async *read(name) {
      const bytes = parts.get(name)
      if (bytes !== undefined) yield bytes
    },
    readSmall: async (name) => parts.get(name),
    close: () => undefined,
  }
}
