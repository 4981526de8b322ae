import { parseSync } from '@swc/core'

/** Words of a private vocabulary that no identifier and no file name uses any more, each with the word of the field. */
const REPLACED_WORDS: Readonly<Record<string, string>> = {
  room: 'deps, module',
  asked: 'request',
  ask: 'send, call, request',
  answer: 'response, respond',
  answers: 'responses',
  answered: 'responded',
  astray: 'drifted',
  trouble: 'error',
  troubles: 'errors',
  walk: 'field path',
  walks: 'field paths',
  slot: 'parameter',
  slots: 'parameters',
  permit: 'authorize',
  permitted: 'authorized',
  judge: 'authorization',
  judged: 'authorized',
  lineage: 'ancestors',
  family: 'comparison type, descendants',
  families: 'comparison types, descendants',
  shown: 'displayed',
  told: 'reported',
  tell: 'report, print',
  tells: 'reports',
  said: 'reported',
  speaks: 'refers to',
  hear: 'receive',
  anew: 'again',
  refuse: 'reject',
  refused: 'rejected',
  refusal: 'error',
  refusals: 'errors',
  awaited: 'pending',
  mend: 'repair',
  mends: 'repairs',
  mended: 'repaired',
  brake: 'throttle',
  upkeep: 'maintenance',
  wake: 'notify',
  tidy: 'cleanup',
  noted: 'recorded',
  holder: 'run-as principal',
  truth: 'source',
  elsewhere: 'remote',
  spoken: 'referenced',
  belongings: 'dependent rows',
  otherwise: 'default',
  least: 'min',
  most: 'max',
  house: 'architecture',
  shipped: 'built in',
}

/** Names of several words that are replaced, though each word is ordinary. */
const REPLACED_NAMES: Readonly<Record<string, string>> = {
  'settled position': 'committed watermark',
  'in turn': 'run exclusive',
  'take turns': 'semaphore',
  'one at a time': 'mutex',
  'take back': 'rollback',
  'taken back': 'rolled back',
  'go on': 'next',
  'while reading': 'with snapshot',
  'catch up': 'refresh',
  'seal text': 'encrypt text',
  'on the wire': 'response',
  'on paper': 'description',
  'bad letters': 'invalid UTF-8',
  'reach address': 'resolve public address',
  'explain failure': 'map database error',
  'first closed': 'first denied',
  'login brake': 'login throttle',
  'raw letters': 'raw characters',
  'plan test': 'plan predicate',
  'write test': 'write predicate',
  'plan form': 'plan kind',
  'mail room': 'webhook sender',
  'lead collection': 'sync collection',
  'compare collection': 'full resync',
  'settle documents': 'reconcile documents',
  'answer once': 'idempotency store',
  'keep thread': 'writer thread',
  'held segment': 'segment reader',
  'live segments': 'segment set',
  'cut text': 'split text',
  'cut range': 'chunk range',
  'outside failure': 'upstream error',
  'who asks': 'caller',
  'table closed': 'table denied',
  'column closed': 'column denied',
}

/** Words of the product alone: tests are called tests. */
const REPLACED_IN_PRODUCT: Readonly<Record<string, string>> = {
  test: 'comparison, predicate',
  tests: 'comparisons, predicates',
}

/** The private vocabulary that the code had: each word is replaced, or stays for a reason. */
export const OLD_WORDS: readonly string[] = [
  ...[
    'room',
    'asked',
    'ask',
    'answer',
    'walk',
    'steps',
    'slot',
    'reader',
    'test',
    'form',
    'family',
    'lineage',
    'judge',
    'permit',
    'closed',
  ],
  ...[
    'open',
    'shown',
    'seen',
    'told',
    'said',
    'refuse',
    'refusal',
    'position',
    'settled position',
    'letters',
    'bad letters',
    'letter',
  ],
  ...[
    'mail room',
    'trouble',
    'astray',
    'awaited',
    'lead collection',
    'leading',
    'holder',
    'settle documents',
    'mend',
    'mended',
    'anew',
  ],
  ...[
    'compare collection',
    'means',
    'once',
    'answer once',
    'in turn',
    'take turns',
    'alone',
    'one at a time',
    'brake',
    'take back',
    'go on',
  ],
  ...[
    'wake',
    'tidy',
    'upkeep',
    'repeat',
    'keep thread',
    'offer',
    'hidden',
    'held segment',
    'live segments',
    'while reading',
    'catch up',
  ],
  ...[
    'cut text',
    'cut range',
    'piece',
    'seal text',
    'least',
    'most',
    'otherwise',
    'on the wire',
    'on paper',
    'belongs',
    'owner',
    'spoken',
  ],
  ...[
    'note',
    'noted',
    'truth',
    'reach address',
    'elsewhere',
    'outside failure',
    'explain failure',
    'first closed',
    'house',
    'who asks',
  ],
  ...['shipped', 'fold'],
]

/** Old words that stay, because their other senses are ordinary or published. */
export const KEPT_WORDS: Readonly<Record<string, string>> = {
  position:
    'Columns of the database and members of errors are called so; processes of other versions and clients read them. A value keeps the name of its column.',
  steps: 'Steps of a change of tables, of a delete, of an edit. The references on the way of a field path are hops.',
  reader: 'Whoever reads bytes, lines, parts of a file or records.',
  form: 'A form of HTTP or of a PDF, the form of a word, the part of a plan that differs by operation.',
  open: 'Opening a file, a connection, a module.',
  closed: 'A connection, a file or a stream that is closed.',
  seen: 'What a loop has seen already.',
  letter: 'A letter of an alphabet.',
  letters: 'Letters of an alphabet.',
  leading: 'Leading zeros, or the leading columns of an index.',
  means: 'A verb.',
  once: 'At once, or exactly once.',
  alone: 'On its own.',
  repeat: 'To do again.',
  offer: 'To offer a candidate to the best ones.',
  hidden: 'Elements of a page that a browser does not display, and documents that are hidden until they are updated.',
  piece: 'A piece of a stream of bytes, or of a text that a format stores in pieces.',
  belongs: 'A condition of a built-in rule: the row belongs to the caller.',
  owner: 'The owner of a key, of a file or of a process.',
  note: 'A note, as a noun; the verb is replaced.',
  fold: 'Case-folding.',
}

/** Whether the check of names replaces an old word. */
export const isReplaced = (words: string): boolean =>
  [REPLACED_WORDS, REPLACED_NAMES, REPLACED_IN_PRODUCT].some((table) => Object.hasOwn(table, words))

/** @param name an identifier of the product. @returns its words that only tests may use, each with the better one */
export const replacedInProduct = (name: string): readonly string[] =>
  wordsOf(name)
    .split(' ')
    .flatMap((word) => (Object.hasOwn(REPLACED_IN_PRODUCT, word) ? [`${word} → ${REPLACED_IN_PRODUCT[word]}`] : []))

const wordsOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .toLowerCase()

/** @param name an identifier or the name of a file. @returns its replaced words, each with the better one */
export function replacedIn(name: string): readonly string[] {
  // "At least" and "at most" are ordinary English.
  const words = wordsOf(name).replace(/\bat (least|most)\b/g, '')
  const single = words.split(' ').filter((word) => Object.hasOwn(REPLACED_WORDS, word))
  // As a noun, "note" is an ordinary word.
  if (/^note \w/.test(words)) single.push('note')
  const several = Object.keys(REPLACED_NAMES).filter((phrase) => ` ${words} `.includes(` ${phrase} `))
  return [...single, ...several].map(
    (word) => `${word} → ${word === 'note' ? 'log, record' : (REPLACED_WORDS[word] ?? REPLACED_NAMES[word])}`,
  )
}

/**
 * Names that a TypeScript source declares: of functions, variables, parameters, types and members. Names that it only uses, such as members
 * of imports, are left out, and so are quoted names.
 *
 * @param tsx whether the source has JSX
 */
export function declaredNames(source: string, tsx = false): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each)
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return
    const { type, ...members } = node as { readonly type?: string; readonly [member: string]: unknown }
    for (const key of NAMED_BY[type ?? ''] ?? []) addName(members[key], names)
    for (const child of Object.values(members)) visit(child)
  }
  visit(parseSync(source, { syntax: 'typescript', tsx, target: 'esnext' }).body)
  return names
}

/**
 * Names that the file of a function of PostgreSQL declares: of the function, its parameters and its variables, and those that `as` gives.
 * Texts and comments are left out; statements in quotes with dollars are read.
 */
export function declaredSqlNames(source: string): ReadonlySet<string> {
  const code = source.replace(/--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''")
  const declared = [
    ...code.matchAll(/create or replace (?:function|procedure) [a-z_]+\.(\w+)\(/gi),
    ...parametersIn(code).matchAll(/(?:^|,)\s*(?:(?:in|out|inout|variadic) )?(\w+)/gi),
    ...variablesIn(code).matchAll(/(?:^|;)\s*(\w+)/g),
    ...code.matchAll(/\bas (?!\$|materialized\b|not\b)(\w+)/gi),
    ...code.matchAll(/\b(\w+)(?: \([\w, ]+\))? as (?:not )?(?:materialized )?\(/gi),
    ...code.matchAll(/\bfor (\w+) in\b/gi),
  ]
  return new Set(declared.flatMap(([, name]) => (name === undefined ? [] : [name])))
}

const parametersIn = (code: string): string =>
  /\bfunction [a-z_.]+\(([\s\S]*?)\)\s*\n? RETURNS\b/i.exec(code)?.[1] ?? ''

const variablesIn = (code: string): string => /\bdeclare\n([\s\S]*?)\bbegin\b/i.exec(code)?.[1] ?? ''

/** Members of a syntax node that contain a declared name. */
const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  FunctionDeclaration: ['identifier'],
  ClassDeclaration: ['identifier'],
  TsInterfaceDeclaration: ['id'],
  TsTypeAliasDeclaration: ['id'],
  VariableDeclarator: ['id'],
  Parameter: ['pat'],
  ArrowFunctionExpression: ['params'],
  KeyValuePatternProperty: ['value'],
  ArrayPattern: ['elements'],
  RestElement: ['argument'],
  TsPropertySignature: ['key'],
  TsMethodSignature: ['key', 'params'],
  ClassProperty: ['key'],
  PrivateProperty: ['key'],
  ClassMethod: ['key'],
  PrivateMethod: ['key'],
  TsFunctionType: ['params'],
}

function addName(node: unknown, names: Set<string>): void {
  if (Array.isArray(node)) for (const each of node) addName(each, names)
  if (typeof node !== 'object' || node === null) return
  const { type, value, id, left } = node as Readonly<Record<'type' | 'value' | 'id' | 'left', unknown>>
  if (type === 'Identifier' && typeof value === 'string') names.add(value)
  if (type === 'PrivateName') addName(id ?? { type: 'Identifier', value }, names)
  if (type === 'AssignmentPattern') addName(left, names)
}
