import { z } from 'zod'
import { documentLimits } from '../../documents/document-limits.ts'

/** Parameters that several operations of documents take. */
export const collectionName = z
  .string()
  .normalize()
  .meta({ description: `Name of the collection, at most ${documentLimits.collectionNameUnits} characters.` })
export const idValue = z.string().meta({ description: 'doc_id of the document.' })
export const details = z.boolean().default(false).meta({ description: '1: objects instead of names.' })
export const cursor = z.string().optional().meta({ description: '`next_cursor` of the previous page.' })
