import { z } from 'zod'
import { jsonOf } from '../kernel/json-of.ts'

const NamedModel = z.strictObject({
  url: z.string().regex(/^https?:\/\/[^/?#\s@]+[^#\s]*$/i),
  model: z.string().min(1),
  key: z.string().min(1).optional(),
  dimensions: z.int().min(1).max(16_384).optional(),
  textPrefix: z.string().optional(),
  queryPrefix: z.string().optional(),
})
/** A model that collections may choose by its name. */
export type NamedModel = z.output<typeof NamedModel>

/** `caller` says of a collection that callers give its vectors. */
const name = z
  .string()
  .regex(/^[\p{L}\p{N}_\-.:/]{1,64}$/u)
  .refine((each) => each !== 'caller')

const NamedModels = z.record(name, NamedModel)

/** JSON: an object with an entry for each model. */
export const embeddingsModels = z.string().transform((text, context): ReadonlyMap<string, NamedModel> => {
  const parsed = NamedModels.safeParse(jsonOf(text))
  if (parsed.success) return new Map(Object.entries(parsed.data))
  context.addIssue({ code: 'custom', message: 'not a list of models' })
  return z.NEVER
})

/** Models that make the same vectors: their vectors would be one set under two names. */
export function sameModels(
  models: ReadonlyMap<string, NamedModel>,
  byDefault: { readonly model: string; readonly dimensions: number; readonly textPrefix: string } | null,
): readonly string[] {
  const known = new Map<string, string>()
  const keyOf = (model: string, dimensions: number, prefix: string): string =>
    JSON.stringify([model, dimensions, prefix])
  if (byDefault !== null) known.set(keyOf(byDefault.model, byDefault.dimensions, byDefault.textPrefix), byDefault.model)
  return [...models].flatMap(([each, { model, dimensions = 0, textPrefix = '' }]) => {
    const key = keyOf(model, dimensions, textPrefix)
    const other = byDefault?.model === each ? each : known.get(key)
    known.set(key, each)
    return other === undefined
      ? []
      : [`DOCKET_EMBEDDINGS_MODELS: ${each} is the same model, or has the same name, as ${other}.`]
  })
}
