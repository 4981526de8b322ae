import type { XmlHandler } from './read-xml.ts'

export interface StyleNames {
  /** Styles that hide their content: hidden text, slides and sheets. */
  readonly hiding: Set<string>
  /** Styles of paragraphs and tables that begin a page. */
  readonly breaking: Set<string>
}

export function createStyleReader({ hiding, breaking }: StyleNames): Required<Pick<XmlHandler, 'open'>> {
  let style = ''
  return {
    open(name, attributes) {
      if (name === 'style:style') {
        style = attributes['style:name'] ?? ''
        const isBreaking =
          attributes['style:master-page-name'] || breaking.has(attributes['style:parent-style-name'] ?? '')
        if (isBreaking) breaking.add(style)
      }
      const breaks = attributes['fo:break-before']
      if (breaks === 'page') breaking.add(style)
      else if (breaks !== undefined) breaking.delete(style)
      const hides =
        attributes['text:display'] === 'none' ||
        (name === 'style:table-properties' && attributes['table:display'] === 'false') ||
        (name === 'style:drawing-page-properties' && attributes['presentation:visibility'] === 'hidden')
      if (hides) hiding.add(style)
    },
  }
}
