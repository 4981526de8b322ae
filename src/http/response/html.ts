/** HTML text that is safe to send. A class, so that no text of a caller is mistaken for it. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A template whose values are escaped, unless they are HTML themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Html)[]): Html {
  const written = values.map((value) => (value instanceof Html ? value.text : escaped(value)))
  return new Html(parts.reduce((text, part, at) => `${text}${written[at - 1] ?? ''}${part}`))
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
