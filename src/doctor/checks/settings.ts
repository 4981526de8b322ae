import { variableOf } from '../../config/settings.ts'
import { readVersion } from '../../config/version.ts'
import { isBeyondLoopback } from '../../start/network-exposure.ts'
import type { Check, Finding, SettingsGround } from '../check.ts'

/** Settings that were read, held against each other. */
export const checkSettings: Check<SettingsGround> = {
  name: 'settings',
  async run({ settings }) {
    const { baseUrl, host, port, trustedProxies } = settings
    const summary = `Docket ${readVersion()}, Node ${process.versions.node}, listens on ${host}:${port}`
    if (baseUrl === undefined) return { summary, findings: [] }
    const url = new URL(baseUrl)
    const isForThisMachine = !(await isBeyondLoopback(url.hostname.replace(/^\[|\]$/g, '')).catch(() => true))
    const hasProxy = trustedProxies.length > 0
    const findings = [
      isForThisMachine && (await isBeyondLoopback(host)) ? linksToThisMachine(baseUrl, host) : [],
      url.protocol === 'https:' && !hasProxy ? unnamedProxy(baseUrl) : [],
      url.protocol === 'http:' && !hasProxy && portOf(url) !== port && port !== 0 ? otherPort(baseUrl, port) : [],
    ]
    return { summary, findings: findings.flat() }
  },
}

const portOf = (url: URL): number => (url.port === '' ? 80 : Number(url.port))

function contradiction(what: string, cure: string): Finding {
  return { fault: 'base-url-contradicts', what, where: variableOf('baseUrl'), cure }
}

const linksToThisMachine = (baseUrl: string, host: string): Finding =>
  contradiction(
    `Links begin with ${baseUrl}, which leads every caller to their own machine, while other machines can reach DOCKET_HOST ${host}`,
    'set DOCKET_BASE_URL to the address that callers use',
  )

const unnamedProxy = (baseUrl: string): Finding =>
  contradiction(
    `Links begin with ${baseUrl}, so a proxy ends TLS, but no proxy is trusted: all callers count as one address`,
    'set DOCKET_TRUSTED_PROXIES to the address of the proxy, such as 127.0.0.1',
  )

const otherPort = (baseUrl: string, port: number): Finding =>
  contradiction(
    `Links begin with ${baseUrl}, but Docket listens on port ${port} and no proxy is trusted`,
    `give DOCKET_BASE_URL the port ${port}, or name the proxy in DOCKET_TRUSTED_PROXIES`,
  )
