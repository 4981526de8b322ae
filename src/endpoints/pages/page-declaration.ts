import { ANONYMOUS } from '../../http/endpoint/access.ts'

/** Common part of the declarations of pages and their assets: anyone may load them, and the API description leaves them out. */
export const pageDeclaration = {
  methods: ['GET'],
  tag: 'Pages',
  description: '',
  access: ANONYMOUS,
  input: {},
  otherNames: 'ignored',
  receives: 'nothing',
  output: null,
  errors: [],
  isUndescribed: true,
  isGated: false,
} as const
