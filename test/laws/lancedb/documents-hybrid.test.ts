import './use-segment-tables.ts'
import '../documents-hybrid.test.ts'
