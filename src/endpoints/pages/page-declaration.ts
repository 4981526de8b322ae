import { ANONYMOUS } from '../../http/endpoint/access.ts'

/** What declarations of pages and their assets have in common: anyone may load them, and the API's description leaves them out. */
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
