// Stands in for @huggingface/transformers: its three names as far as Docket uses them, over the folders of tiny-model.ts.
const { readFileSync } = require('node:fs')
const { join, resolve } = require('node:path')

const env = {}

function readFolder(name, { local_files_only: isLocal }) {
  // What the package would look for elsewhere is not looked for.
  if (env.allowRemoteModels !== false || isLocal !== true) throw new Error('this would look on the network')
  const folder = resolve(env.localModelPath, name)
  return (file) => JSON.parse(readFileSync(join(folder, file), 'utf8'))
}

class Tensor {
  constructor(data, dims) {
    this.data = data
    this.dims = dims
  }
  to() {
    return new Tensor(Float32Array.from(this.data, Number), this.dims)
  }
}

exports.env = env

exports.AutoTokenizer = {
  async from_pretrained(name, options) {
    const { vocab } = readFolder(name, options)('tokenizer.json').model
    return (texts, { max_length: mostTokens }) => {
      const ids = texts.map((text) => {
        const words = text.toLowerCase().match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []
        const known = words.map((word) => vocab[word] ?? vocab['[UNK]'])
        // The package cuts off the last mark too.
        return [vocab['[CLS]'], ...known, vocab['[SEP]']].slice(0, mostTokens)
      })
      const length = Math.max(...ids.map((own) => own.length))
      const padded = ids.flatMap((own) => [...own, ...Array(length - own.length).fill(vocab['[PAD]'])])
      const mask = ids.flatMap((own) => Array.from({ length }, (_, at) => (at < own.length ? 1 : 0)))
      const tensor = (numbers) => new Tensor(BigInt64Array.from(numbers, BigInt), [texts.length, length])
      return { input_ids: tensor(padded), attention_mask: tensor(mask) }
    }
  },
}

exports.AutoModel = {
  async from_pretrained(name, options) {
    const { table, fault, delayMs = 0 } = readFolder(name, options)('config.json')
    if (fault === 'does-not-load') throw new Error('Protobuf parsing failed.')
    return async ({ input_ids: ids }) => {
      if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
      const rows = Array.from(ids.data, (id) => table[Number(id)])
      if (fault === 'throws') throw new Error('the shapes do not fit')
      if (fault === 'dies' && Array.from(ids.data).some((id) => table[Number(id)].includes(666))) process.abort()
      if (fault === 'no-vectors') return { logits: new Tensor([], [0]) }
      if (fault === 'no-numbers') rows[0] = rows[0].map(() => Number.NaN)
      return { last_hidden_state: new Tensor(Float32Array.from(rows.flat()), [...ids.dims, table[0].length]) }
    }
  },
}
