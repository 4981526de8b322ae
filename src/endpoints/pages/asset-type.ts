const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
}

/** Media type of a file that pages load, by its extension; undefined: pages do not load such files. */
export const typeOfAsset = (name: string): string | undefined => TYPES[name.slice(name.lastIndexOf('.') + 1)]
