import { z } from 'zod'

/** Members that several responses of documents have. */
export const docId = z.string().meta({ description: 'Identifier of the document within its collection.' })
export const collectionName = z.string().meta({ description: 'Name of the collection.' })
export const fileName = z.string().nullable().meta({ description: 'Name of the loaded file; null for a text.' })
export const mediaType = z.string().meta({ description: 'Media type of the loaded content.' })
export const language = z
  .string()
  .nullable()
  .meta({ description: 'Language of the text, such as `en`; null: unknown.' })
export const version = z.int().meta({ description: 'Rises with each replacement of the document.' })
export const pages = z.int().nullable().meta({ description: 'Pages; null in documents without pages.' })
export const chunkCount = z.int().meta({ description: 'Number of chunks.' })
export const chunkIndex = z.int().meta({ description: 'Number of the chunk in its document, from 0.' })
export const ready = z.literal('ready').meta({ description: 'Every search finds the document.' })
export const tookMs = z.number().meta({ description: 'Duration of the request in milliseconds.' })
/** docs/spec/documents.md, section 2: a known key has its type, others are free scalars and lists of scalars. */
export const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])
export const DocumentMetadata = z
  .object({
    sys_id: z
      .string()
      .optional()
      .meta({ description: 'The record that the document belongs to; its doc_id, unless one is given.' }),
    doc_id: z.string().optional().meta({ description: 'Names the document within its collection.' }),
    title: z.string().optional().meta({ description: 'Has more weight in a search than the text.' }),
    status: z.string().optional().meta({ description: 'Status of the document, for filters.' }),
    priority: z.int().optional().meta({ description: 'Priority of the document, for filters.' }),
    flag: z.boolean().optional().meta({ description: 'A mark, for filters.' }),
    type: z.string().optional().meta({ description: 'Kind of the document, for filters.' }),
    created: z
      .string()
      .optional()
      .meta({ description: 'ISO 8601, UTC.', examples: ['2024-01-31T10:00:00Z'] }),
  })
  .catchall(z.union([scalar, z.array(scalar)]))
  .meta({ id: 'DocumentMetadata', description: 'At most 64 keys and 16 KB as JSON.' })
