/**
 * A screen that is only a picture: links work by pointer, nothing takes the focus, and nothing is found by id or as a record. Styles become
 * `data-style`, because the policy allows no `style` attribute (painted/display-painted-list.ts sets them). In the output of React, `"`
 * stands only around values of attributes. They are matched as a whole, so that nothing is found in the value of another one.
 */
export const inertHtml = (html: string): string =>
  html
    .replaceAll(/ ([\w:-]+)="[^"]*"/g, (attribute: string, name: string) => {
      if (removed.has(name)) return ''
      return name === 'style' ? attribute.replace('style', 'data-style') : attribute
    })
    .replaceAll(/<(a|button|input|select|textarea) /g, '<$1 tabindex="-1" ')

const removed = new Set(['id', 'tabindex', 'autofocus', 'data-record'])
