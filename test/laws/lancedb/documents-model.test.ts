import './use-segment-tables.ts'
import '../documents-model.test.ts'
