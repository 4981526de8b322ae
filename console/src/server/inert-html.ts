/**
 * A screen that is only a picture: links work by pointer, nothing takes the focus, and nothing is found by id or as a record. Styles become
 * `data-style`, because the policy allows no `style` attribute (painted/display-painted-list.ts sets them). In the output of React, `"`
 * stands only around values of attributes, so these patterns find no text.
 */
export const inertHtml = (html: string): string =>
  html
    .replaceAll(' style="', ' data-style="')
    .replaceAll(' data-record=""', '')
    .replaceAll(/ (?:id|tabindex|autofocus)="[^"]*"/g, '')
    .replaceAll(/<(a|button|input|select|textarea) /g, '<$1 tabindex="-1" ')
