import { expect, test } from 'vitest'
import { operationAddress } from './call-model.ts'

test.each([
  ['http://127.0.0.1:11434/v1/embeddings', 'http://127.0.0.1:11434/v1/embeddings'],
  ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1/embeddings'],
  ['http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434/v1/embeddings'],
  ['http://models.example.com', 'http://models.example.com/embeddings'],
  [
    'https://h.example/deployments/e/embeddings?api-version=1',
    'https://h.example/deployments/e/embeddings?api-version=1',
  ],
])('%s', (set, address) => {
  expect(operationAddress(set, 'embeddings')).toBe(address)
})
