import { z } from 'zod'

/** A part of the document: any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }
export type JsonObject = { readonly [key: string]: Json | undefined }

/** An inline schema, such as that of a parameter. */
export function inlineSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: 'input' }) as JsonObject
  return plain
}

/** Schemas by name; they refer to each other by `$ref`. Undocumented members of a response are allowed: a later version may add some. */
export function namedSchemas(schemas: Readonly<Record<string, z.ZodType>>): JsonObject {
  const registry = z.registry<{ readonly id: string }>()
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id })
  const { schemas: written } = z.toJSONSchema(registry, { uri: schemaPath, io: 'input' })
  return Object.fromEntries(Object.entries(written).map(([id, schema]) => [id, withoutAddress(schema as JsonObject)]))
}

export const schemaPath = (name: string): string => `#/components/schemas/${name}`
export const schemaRef = (name: string): JsonObject => ({ $ref: schemaPath(name) })

function withoutAddress({ $schema: _schema, $id: _id, ...schema }: JsonObject): JsonObject {
  return schema
}

/** The schemas that `roots` refer to, directly or through others, in the order of `schemas`. */
export function referencedSchemas(roots: Json, schemas: JsonObject): JsonObject {
  const found = new Set<string>()
  const visit = (value: Json | undefined): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, member] of Object.entries(value)) {
      const name = key === '$ref' ? String(member).replace(schemaPath(''), '') : ''
      if (name in schemas && !found.has(name)) {
        found.add(name)
        visit(schemas[name])
      }
      visit(member)
    }
  }
  visit(roots)
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)))
}
