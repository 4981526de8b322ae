import type { Settings } from './settings.ts'

/** The configured object store; null: files are stored in the data directory. `readSettings` rejects incomplete settings of one. */
export function objectStoreOf(settings: Settings) {
  const { s3Endpoint, s3Bucket, s3AccessKeyId, s3SecretAccessKey, s3Region, s3PathStyle, s3Prefix = '' } = settings
  if (s3Endpoint === undefined || s3Bucket === undefined) return null
  return {
    endpoint: s3Endpoint,
    bucket: s3Bucket,
    region: s3Region,
    accessKeyId: s3AccessKeyId ?? '',
    secretAccessKey: s3SecretAccessKey ?? '',
    isPathStyle: s3PathStyle === 'on',
    prefix: s3Prefix,
  }
}
