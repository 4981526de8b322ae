import type { Archive } from '../read/open-archive.ts'
import { readXmlText } from '../read/read-xml.ts'
import type { TextSink } from '../text-builder.ts'
import { createWordBody } from './extract-docx.ts'

const sign = /<(?:\w+:)?wordDocument\b[^>]*schemas\.microsoft\.com\/office\/word\/2003\/wordml|<pkg:package\b/

/** Whether an XML text is a Word document in one file: of Word 2003, or a package written flat. */
export function isWordXml(text: string): boolean {
  return sign.test(text.slice(0, 16_384))
}

/** Every part of the document is in the same text, so each reader looks for its own elements in all of it. */
export async function extractWordXml(text: string, into: TextSink): Promise<void> {
  const whole = Buffer.from(text.replace(/^\ufeff?\s*<\?xml[^>]*\?>/, ''))
  const file: Archive = {
    names: new Set([part]),
    async *read() {
      yield whole
    },
    readSmall: async () => undefined,
    close: () => undefined,
  }
  readXmlText(text, await createWordBody(file, () => part, into))
}

const part = 'document'
