import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The stand-in for @huggingface/transformers, which is a quarter of a gigabyte. The same tests run with the package itself:
 *
 *     npm install --prefix /tmp/real --ignore-scripts @huggingface/transformers@4
 *     DOCKET_TEST_TRANSFORMERS=/tmp/real/node_modules/@huggingface/transformers/dist/transformers.node.cjs npx vitest run test/documents/local-model.test.ts
 */
export const transformersEntry =
  process.env['DOCKET_TEST_TRANSFORMERS'] ?? fileURLToPath(new URL('./transformers-stand-in.cjs', import.meta.url))

/** The words of the model, with the vector of each. */
export type TinyWords = Readonly<Record<string, readonly number[]>>

/** By default, words with the same meaning in both languages have vectors of one direction; punctuation has none. */
export const tinyWords: TinyWords = {
  '[PAD]': [9, 9, 9, 9],
  '[UNK]': [0, 0, 0, 1],
  '[CLS]': [0, 0, 0, 0],
  '[SEP]': [0, 0, 0, 0],
  printer: [1, 0, 0, 0],
  принтер: [1, 0, 0, 0],
  holiday: [0, 1, 0, 0],
  vacation: [0, 1, 0, 0],
  отпуск: [0, 1, 0, 0],
  router: [0, 0, 1, 0],
  сеть: [0, 0, 1, 0],
  query: [0, 0, 0, 2],
  passage: [0, 0, 0, -2],
  ':': [0, 0, 0, 0],
}

export interface TinyModelOptions {
  readonly words?: TinyWords
  /** The ending of the name of the weights file: '', or for example `_quantized`. */
  readonly ending?: string
  /** Further files beside config.json, by name. */
  readonly more?: Readonly<Record<string, object>>
  /** Maximum number of tokens in a text. */
  readonly maxTokens?: number
}

/** Writes a complete model in some hundred bytes: it looks up the vector of each token in a table. */
export function writeTinyModel(folder: string, options: TinyModelOptions = {}): void {
  const { words = tinyWords, ending = '', more = {}, maxTokens = 16 } = options
  mkdirSync(join(folder, 'onnx'), { recursive: true })
  const vocab = Object.fromEntries(Object.keys(words).map((word, id) => [word, id]))
  const files: Readonly<Record<string, object>> = {
    'config.json': {
      model_type: 'bert',
      architectures: ['BertModel'],
      hidden_size: 4,
      max_position_embeddings: 64,
      // For the stand-in, which does not read ONNX.
      table: Object.values(words),
    },
    'tokenizer.json': tokenizer(vocab),
    'tokenizer_config.json': {
      tokenizer_class: 'BertTokenizer',
      model_max_length: maxTokens,
      unk_token: '[UNK]',
      pad_token: '[PAD]',
      cls_token: '[CLS]',
      sep_token: '[SEP]',
    },
    ...more,
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), JSON.stringify(content))
  }
  writeFileSync(join(folder, 'onnx', `model${ending}.onnx`), onnxOf(Object.values(words)))
}

function tokenizer(vocab: Readonly<Record<string, number>>): object {
  const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'].map((content) => ({
    id: vocab[content],
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }))
  const mark = (id: string) => ({ SpecialToken: { id, type_id: 0 } })
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: special,
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [mark('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, mark('[SEP]')],
      pair: [
        mark('[CLS]'),
        { Sequence: { id: 'A', type_id: 0 } },
        mark('[SEP]'),
        { Sequence: { id: 'B', type_id: 1 } },
      ],
      special_tokens: Object.fromEntries(['[CLS]', '[SEP]'].map((id) => [id, { id, ids: [vocab[id]], tokens: [id] }])),
    },
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  }
}

// ── ONNX, which is protobuf: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto ──

function varint(value: number): Buffer {
  const bytes: number[] = []
  let left = value
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80)
  return Buffer.from([...bytes, left])
}
const number = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8), varint(value)])
const bytes = (field: number, ...content: readonly (Buffer | string)[]): Buffer => {
  const whole = Buffer.concat(content.map((part) => Buffer.from(part)))
  return Buffer.concat([varint(field * 8 + 2), varint(whole.length), whole])
}

const float32 = 1
const int64 = 7

/** last_hidden_state = Gather(table, input_ids) */
function onnxOf(table: readonly (readonly number[])[]): Buffer {
  const length = table[0]?.length ?? 0
  const tensor = (name: string, type: number, dimensions: readonly (string | number)[]): Buffer => {
    const shape = dimensions.map((each) => bytes(1, typeof each === 'number' ? number(1, each) : bytes(2, each)))
    return Buffer.concat([bytes(1, name), bytes(2, bytes(1, number(1, type), bytes(2, ...shape)))])
  }
  const node = bytes(1, bytes(1, 'table'), bytes(1, 'input_ids'), bytes(2, 'last_hidden_state'), bytes(4, 'Gather'))
  const initializer = bytes(
    5,
    number(1, table.length),
    number(1, length),
    number(2, float32),
    bytes(8, 'table'),
    bytes(9, Buffer.from(Float32Array.from(table.flat()).buffer)),
  )
  const graph = bytes(
    7,
    node,
    bytes(2, 'tiny'),
    initializer,
    ...['input_ids', 'attention_mask'].map((name) => bytes(11, tensor(name, int64, ['batch', 'tokens']))),
    bytes(12, tensor('last_hidden_state', float32, ['batch', 'tokens', length])),
  )
  return Buffer.concat([number(1, 8), graph, bytes(8, bytes(1, ''), number(2, 13))])
}
