import { z } from 'zod'
import { successOf } from './envelope.ts'

/** The shapes are our choice. */
export const SecretEnvelope = successOf(
  z.object({
    secret: z.string().meta({
      description:
        '`whsec_` and 32 bytes in base64; shown once. Deliveries are signed as standardwebhooks.com defines.',
    }),
  }),
).meta({ id: 'WebhookSecret' })
export const SentAgainEnvelope = successOf(
  z.object({ state: z.literal('pending').meta({ description: 'The delivery is sent again.' }) }),
).meta({ id: 'SentAgain' })
