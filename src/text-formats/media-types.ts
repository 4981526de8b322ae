/** The supported formats and their names. */
export const formats = {
  text: { mediaType: 'text/plain', name: 'plain text' },
  markdown: { mediaType: 'text/markdown', name: 'Markdown' },
  html: { mediaType: 'text/html', name: 'HTML' },
  pdf: { mediaType: 'application/pdf', name: 'PDF' },
  docx: { mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', name: 'DOCX' },
  pptx: { mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation', name: 'PPTX' },
  xlsx: { mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', name: 'XLSX' },
  odt: { mediaType: 'application/vnd.oasis.opendocument.text', name: 'ODT' },
  odp: { mediaType: 'application/vnd.oasis.opendocument.presentation', name: 'ODP' },
  ods: { mediaType: 'application/vnd.oasis.opendocument.spreadsheet', name: 'ODS' },
  rtf: { mediaType: 'application/rtf', name: 'RTF' },
  epub: { mediaType: 'application/epub+zip', name: 'EPUB' },
  eml: { mediaType: 'message/rfc822', name: 'EML' },
  csv: { mediaType: 'text/csv', name: 'CSV' },
  tsv: { mediaType: 'text/tab-separated-values', name: 'TSV' },
  json: { mediaType: 'application/json', name: 'JSON' },
  jsonl: { mediaType: 'application/jsonl', name: 'JSONL' },
  xml: { mediaType: 'application/xml', name: 'XML' },
  code: { mediaType: 'text/x-source', name: 'source code' },
} as const

export type Format = keyof typeof formats

export const supportedFormats: string = Object.values(formats)
  .map(({ name }) => name)
  .join(', ')

/** File name endings of source code; the value is the part after `text/x-`. */
export const codeEndings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    c: 'c h',
    'c++': 'cc cpp cxx hh hpp hxx',
    csharp: 'cs',
    clojure: 'clj cljs',
    css: 'css scss less',
    dart: 'dart',
    elixir: 'ex exs',
    erlang: 'erl hrl',
    go: 'go',
    groovy: 'groovy gradle',
    haskell: 'hs',
    java: 'java',
    javascript: 'js mjs cjs jsx',
    julia: 'jl',
    kotlin: 'kt kts',
    lua: 'lua',
    'objective-c': 'm mm',
    ocaml: 'ml mli',
    pascal: 'pas',
    perl: 'pl pm',
    php: 'php',
    powershell: 'ps1 psm1',
    python: 'py pyi',
    r: 'r',
    ruby: 'rb',
    rust: 'rs',
    scala: 'scala',
    shellscript: 'sh bash zsh bat cmd',
    sql: 'sql',
    swift: 'swift',
    terraform: 'tf',
    typescript: 'ts mts cts tsx',
    vue: 'vue svelte',
    yaml: 'yaml yml',
    config: 'toml ini cfg conf properties env dockerfile makefile cmake proto graphql',
    '1c': 'bsl os',
  }).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language] as const)),
)
