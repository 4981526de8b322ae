import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const programs = { nginx: '/usr/sbin/nginx', caddy: '/usr/bin/caddy' } as const

export type ProxyName = keyof typeof programs
export const proxyIsInstalled = (name: ProxyName): boolean => existsSync(programs[name])

export interface ReverseProxy {
  readonly url: string
  /** Path of the certificate that the proxy presents. */
  readonly certificate: string
  stop(): Promise<void>
}

/** A proxy with the sample configuration of deploy/ in front of a server. Only name, ports and certificate are those of the test. */
export async function startProxy(name: ProxyName, serverUrl: string): Promise<ReverseProxy> {
  const folder = mkdtempSync(join(tmpdir(), `docket-${name}-`))
  const port = await freePort()
  const certificate = join(folder, 'certificate.pem')
  const key = join(folder, 'key.pem')
  const subject = ['-subj', '/CN=desk.example.com', '-addext', 'subjectAltName=DNS:desk.example.com']
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, '-days', '2', ...subject],
    { stdio: 'ignore' },
  )
  const sample = { folder, port, certificate, key, server: new URL(serverUrl).host }
  const args = name === 'nginx' ? nginxFor(sample) : caddyFor(sample)
  const child = spawn(programs[name], args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: '/usr/bin', HOME: folder },
  })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  for (let attempt = 0; !(await accepts(port)); attempt += 1) {
    if (attempt === 300 || child.exitCode !== null) {
      await stop()
      throw new Error(`${name} does not listen: ${output}`)
    }
    await pause(100)
  }
  return { url: `https://desk.example.com:${port}`, certificate, stop }
}

interface Sample {
  readonly folder: string
  readonly port: number
  readonly certificate: string
  readonly key: string
  /** Host and port of Docket. */
  readonly server: string
}

/** deploy/nginx.conf is a server block; this adds the usual configuration around it. */
function nginxFor({ folder, port, certificate, key, server }: Sample): readonly string[] {
  const block = readFileSync(join(root, 'deploy/nginx.conf'), 'utf8')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace(/^ *listen \[::\]:443 ssl;$/m, '')
    .replace('/etc/ssl/desk.example.com.pem', certificate)
    .replace('/etc/ssl/private/desk.example.com.key', key)
    .replaceAll('127.0.0.1:8080', server)
  mkdirSync(join(folder, 'temporary'))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((use) => `${use}_temp_path temporary/${use};`)
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid nginx.pid; error_log stderr;
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http {
gzip on; gzip_types application/json; access_log off; ${paths.join(' ')}
${block}
}
`,
  )
  return ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr']
}

function caddyFor({ folder, port, certificate, key, server }: Sample): readonly string[] {
  const sites = readFileSync(join(root, 'deploy/Caddyfile'), 'utf8')
    .replace(/^desk\.example\.com \{$/m, `desk.example.com:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate} ${key}`)
    .replaceAll('127.0.0.1:8080', server)
  writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${sites}`)
  return ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile']
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
