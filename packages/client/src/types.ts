/** Generates TypeScript types of a server's tables from its dictionary. A separate entry point: programs use it at build time. */
export { type GenerateOptions, generateTypes } from './generate/generate-types.ts'
