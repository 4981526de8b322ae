import { readXmlIfThere } from './office-parts.ts'
import type { Archive } from './open-archive.ts'
import { attributeNamed, localName } from './read-xml.ts'

/** The effect of a style on a paragraph. */
export interface WordStyle {
  readonly level: number | undefined
  readonly isItem: boolean
  /** The list that numbers it. */
  readonly list: string | undefined
  /** Its level in the list, if the style has one. */
  readonly listLevel: number | undefined
  /** The style, or its base style, with the list: levels of lists are linked to styles. */
  readonly listStyle: string | undefined
}

interface OwnStyle {
  readonly id: string
  name: string
  basedOn?: string
  level?: number
  isItem: boolean
  list?: string
  listLevel?: number
}

const noStyle: WordStyle = {
  level: undefined,
  isItem: false,
  list: undefined,
  listLevel: undefined,
  listStyle: undefined,
}
const maxBases = 20

export async function readWordStyles(archive: Archive, part: string): Promise<ReadonlyMap<string, WordStyle>> {
  const own = await readOwnStyles(archive, part)
  const resolve = (id: string | undefined, hops = 0): WordStyle => {
    const found = own.get(id ?? '')
    if (found === undefined || hops > maxBases) return noStyle
    const base = resolve(found.basedOn, hops + 1)
    return {
      level: ownLevel(found) ?? base.level,
      isItem: found.isItem || base.isItem,
      list: found.list ?? base.list,
      listLevel: found.listLevel ?? base.listLevel,
      listStyle: found.isItem ? found.id : base.listStyle,
    }
  }
  return new Map([...own.keys()].map((id) => [id, resolve(id)]))
}

async function readOwnStyles(archive: Archive, part: string): Promise<ReadonlyMap<string, OwnStyle>> {
  const own = new Map<string, OwnStyle>()
  let style: OwnStyle | undefined
  await readXmlIfThere(archive, part, {
    open(full, attributes) {
      const name = localName(full)
      const value = attributeNamed(attributes, 'val')
      if (name === 'style') {
        style = { id: attributeNamed(attributes, 'styleId') ?? '', name: '', isItem: false }
        own.set(style.id, style)
      } else if (style === undefined) return
      else if (name === 'name') style.name = value ?? ''
      else if (name === 'basedOn' && value !== undefined) style.basedOn = value
      else if (name === 'outlineLvl') style.level = Number(value)
      else if (name === 'numPr') style.isItem = true
      else if (name === 'numId' && value !== undefined) style.list = value
      else if (name === 'ilvl') style.listLevel = Number(value)
    },
    close(full) {
      if (localName(full) === 'style') style = undefined
    },
  })
  return own
}

function ownLevel({ name, level }: OwnStyle): number | undefined {
  const named = /^heading (\d)$/i.exec(name)?.[1]
  if (named !== undefined) return Number(named)
  return /^title$/i.test(name) ? 1 : outlineLevel(level)
}

/** Outline levels are counted from 0; 9 is body text. */
export function outlineLevel(outline: number | undefined): number | undefined {
  return outline !== undefined && outline >= 0 && outline < 9 ? outline + 1 : undefined
}
