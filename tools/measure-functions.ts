/** Lengths of the functions of a TypeScript file. */
import { parseSync } from '@swc/core'

export interface MeasuredFunction {
  readonly name: string
  /** From the first line of its head to its last line. */
  readonly lines: number
}

/** Functions, methods and accessors, and named arrow functions. A nested function counts for itself and as part of the outer one. */
export function measureFunctions(source: string): readonly MeasuredFunction[] {
  const bytes = Buffer.from(source)
  const found: MeasuredFunction[] = []
  const visit = (node: unknown, nameAbove: string | null): void => {
    if (Array.isArray(node)) for (const each of node) visit(each, null)
    if (!isNode(node)) return
    const name = functionName(node, nameAbove)
    if (name !== null) found.push({ name, lines: linesOf(bytes, node.span) })
    const declared = node.type === 'VariableDeclarator' ? identifierOf(node['id']) : null
    for (const [key, child] of Object.entries(node)) if (key !== 'span') visit(child, key === 'init' ? declared : null)
  }
  visit(parseSync(source, { syntax: 'typescript', target: 'esnext' }).body, null)
  return found
}

interface SyntaxNode {
  readonly type: string
  /** Of bytes, from 1. */
  readonly span: { readonly start: number; readonly end: number }
  readonly [member: string]: unknown
}

const isNode = (node: unknown): node is SyntaxNode => typeof node === 'object' && node !== null && !Array.isArray(node)

const identifierOf = (identifier: unknown): string | null => {
  const { value } = (identifier ?? {}) as { readonly value?: unknown }
  return typeof value === 'string' ? value : null
}

const methods = new Set(['MethodProperty', 'ClassMethod', 'PrivateMethod', 'GetterProperty', 'SetterProperty'])

/** @returns null: the node is not a function with a body, or is an arrow function without a name */
function functionName(node: SyntaxNode, nameAbove: string | null): string | null {
  // The body of a class method is a member of its `function`.
  const body = node['body'] ?? (node['function'] as SyntaxNode | undefined)?.['body']
  if (body === undefined || body === null) return null
  if (node.type === 'FunctionDeclaration') return identifierOf(node['identifier'])
  if (node.type === 'Constructor') return 'constructor'
  if (methods.has(node.type))
    return identifierOf(node['key']) ?? identifierOf((node['key'] as SyntaxNode)['id']) ?? '[computed]'
  return node.type === 'ArrowFunctionExpression' ? nameAbove : null
}

function linesOf(bytes: Buffer, { start, end }: SyntaxNode['span']): number {
  return bytes
    .subarray(start - 1, end - 1)
    .toString()
    .split('\n').length
}
