import { z } from 'zod'
import { successOf } from './envelope.ts'

const right = z.enum(['always', 'never', 'on_rows'])
export type Right = z.output<typeof right>

const rightTo = (what: string) => right.meta({ description: `Whether the caller may ${what}; on_rows: some of them.` })
const JSON_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'any'] as const
const name = z.string().meta({ description: 'Name, as paths and queries have it.' })
const title = z.string().meta({ description: 'For people, in the language of the caller.' })

const relatedList = z
  .object({
    table: z.string().meta({ description: 'Table of the list.' }),
    column: z.string().meta({ description: 'Column of that table that refers to the record.' }),
    title,
  })
  .meta({ description: 'Records that refer to one of this table.' })

const summary = {
  name,
  title,
  parent: z.string().nullable().meta({ description: 'Name of the table that it extends.' }),
  display_column: z.string().nullable().meta({
    description: 'The column with the display value of a record; null: there is none that the caller may read.',
  }),
  number: z
    .object({
      prefix: z.string().meta({ description: 'Prefix of numbers, such as INC.' }),
      digits: z.int().meta({ description: 'Minimum number of digits.' }),
    })
    .nullable()
    .meta({ description: 'How records are numbered; null: they are not.' }),
  rights: z
    .object({
      create: rightTo('create records'),
      read: rightTo('read records'),
      write: rightTo('change records'),
      delete: rightTo('delete records'),
    })
    .meta({ description: 'What the caller may do. on_rows: a rule with a condition decides record by record.' }),
}

const column = z
  .object({
    name,
    title,
    type: z.string().meta({ description: 'Type of the column (docs/dictionary.md).' }),
    comparison: z.string().meta({ description: 'How its values compare.' }),
    json_type: z.enum(JSON_TYPES).meta({
      description:
        'JSON type of its values with sysparm_display_value=0 (a reference: without links); any: every JSON value.',
    }),
    nullable: z.boolean().meta({ description: 'Its value can be null in responses.' }),
    operators: z
      .array(z.string())
      .readonly()
      .meta({ description: 'Operators of conditions on it; none: the caller may not read it.' }),
    mandatory: z.boolean().meta({ description: 'It cannot be empty.' }),
    required_on_create: z.boolean().meta({ description: 'A create without it is rejected.' }),
    read_only: z.boolean().meta({ description: 'The server fills it.' }),
    unique: z.boolean().meta({ description: 'Values are unique.' }),
    max_length: z.int().nullable().meta({ description: 'In characters.' }),
    default_value: z.string().nullable().meta({ description: 'Default of a create; can be `javascript:gs.…`.' }),
    is_document: z
      .boolean()
      .meta({ description: 'Read and written as the JSON document of the editor in every request.' }),
    reference: z
      .object({
        table: z.string().meta({ description: 'Name of the table.' }),
        title,
        display_column: z.string().nullable().meta({ description: 'The column with the display value of a record.' }),
        search_columns: z.array(z.string()).readonly().meta({ description: 'Columns of full-text search.' }),
      })
      .nullable()
      .meta({ description: 'The table that it refers to; null: none that the caller may read.' }),
    depends_on: z.string().nullable().meta({ description: 'The column whose value decides which choices there are.' }),
    choices: z
      .array(
        z
          .object({
            value: z.string().meta({ description: 'What is stored.' }),
            title,
            dependent_value: z
              .string()
              .nullable()
              .meta({ description: 'Only with this value of `depends_on`; null: always.' }),
          })
          .meta({ description: 'A choice.' }),
      )
      .readonly()
      .meta({ description: 'In their order.' }),
    rights: z
      .object({ read: rightTo('read it'), create: rightTo('give it a first value'), write: rightTo('change it') })
      .meta({ description: 'What the caller may do with the column, the rules of the table included.' }),
  })
  .meta({ description: 'A column that the caller may read or write on some record.' })
export type ColumnDescription = z.output<typeof column>

const view = z
  .object({
    title: z.string().meta({ description: 'What sysparm_view names.' }),
    is_personal: z.boolean().meta({ description: 'Of the caller alone.' }),
    sections: z
      .array(
        z
          .object({
            title: z.string().meta({ description: 'Title of the section, maybe empty.' }),
            columns: z
              .array(
                z
                  .object({
                    path: z.string().meta({ description: 'Column, or a path through references.' }),
                    title,
                    type: z.string().meta({ description: 'Type of the last column.' }),
                  })
                  .meta({ description: 'A field.' }),
              )
              .readonly()
              .meta({ description: 'Those that the caller may see.' }),
          })
          .meta({ description: 'A section.' }),
      )
      .readonly()
      .meta({ description: 'In their order.' }),
    related_lists: z.array(relatedList).readonly().meta({ description: 'As configured (sys_ui_related_list).' }),
  })
  .meta({ description: 'A view of the table or of a table that it extends.' })
export type ViewDescription = z.output<typeof view>

const table = z
  .object({
    ...summary,
    lineage: z.array(z.string()).readonly().meta({ description: 'This table, its parent, and so on.' }),
    children: z
      .array(z.object({ name, title }).meta({ description: 'A table.' }))
      .readonly()
      .meta({ description: 'Tables below it.' }),
    has_history: z.boolean().meta({ description: 'Changes are stored for GET /rest/v1/history.' }),
    columns: z.array(column).readonly().meta({ description: 'In the order of the dictionary.' }),
    views: z.array(view).readonly().meta({ description: 'Personal ones of the caller first.' }),
    referenced_by: z
      .array(relatedList)
      .readonly()
      .meta({ description: 'Lists that a form can show without configuration.' }),
    state_model: z
      .object({
        column: z.string().meta({ description: 'The column of the state.' }),
        models: z
          .array(
            z
              .object({
                has_condition: z.boolean().meta({ description: 'It is for some records only.' }),
                transitions: z
                  .array(
                    z
                      .object({
                        from: z.string().meta({ description: 'A state.' }),
                        to: z.string().nullable().meta({ description: 'The next state; null: the one before.' }),
                      })
                      .meta({ description: 'An allowed move.' }),
                  )
                  .readonly()
                  .meta({ description: 'Allowed moves.' }),
                finals: z.array(z.string()).readonly().meta({ description: 'Final states.' }),
              })
              .meta({ description: 'The first model whose condition holds decides.' }),
          )
          .readonly()
          .meta({ description: 'In the order in which they are tried.' }),
      })
      .nullable()
      .meta({ description: 'Which states follow which; null: any.' }),
  })
  .meta({ description: 'A table with the caller’s rights.' })
export type TableDescription = z.output<typeof table>

export const MetaEnvelope = successOf(table).meta({
  id: 'TableMeta',
  description: 'A table with the caller’s rights.',
})
export const MetaListEnvelope = successOf(
  z.array(z.object(summary).meta({ description: 'A table.' })).meta({ description: 'By name.' }),
).meta({ id: 'TablesMeta', description: 'The tables that the caller may read.' })
