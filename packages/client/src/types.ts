/** TypeScript types of the tables of a server, from its dictionary. An entry of its own: programs use it at build time. */
export { type GenerateOptions, generateTypes } from './generate/generate-types.ts'
