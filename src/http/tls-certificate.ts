// A TLS certificate with its private key, read from PEM files. Checks that both are readable and match. Does not check the expiry
// date, because an expired certificate must not stop a running server.
// Tested by src/http/tls-certificate.test.ts
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { describeErrno } from '../base/describe-errno.ts'

/** Paths of PEM files. The certificate file may contain the certificates of its issuers after it. */
export type TlsFiles = { readonly certificateFile: string; readonly keyFile: string }

export type TlsCertificate = {
  /** PEM text as read. */
  readonly cert: Buffer
  readonly key: Buffer
  /** DNS names and IP addresses of the certificate. */
  readonly names: readonly string[]
  /** Milliseconds since 1970 UTC. */
  readonly expires: number
  /** Whether clients accept the certificate for this host name or IP address. */
  covers(host: string): boolean
}

const fileBytesMax = 1024 * 1024

/** Rejects with a sentence for the operator, which names the setting and the file. */
export async function readTlsCertificate(files: TlsFiles): Promise<TlsCertificate> {
  const { certificateFile, keyFile } = files
  // Sequential, so that the error names the certificate if both files are missing.
  const cert = await read('http.tls.certificateFile', certificateFile)
  const key = await read('http.tls.keyFile', keyFile)
  const certificate = parseCertificate(cert, certificateFile)
  const privateKey: KeyObject = parse(
    () => createPrivateKey(key),
    `http.tls.keyFile ${keyFile} contains no private key: expected PEM text without a passphrase`,
  )
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new Error(
      `http.tls.keyFile ${keyFile} does not belong to the certificate in ${certificateFile}: use the key that the certificate was issued for`,
    )
  }
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`http.tls.certificateFile ${certificateFile} cannot be used: ${reason}`, {
      cause,
    })
  }
  return {
    cert,
    key,
    names: namesOf(certificate),
    expires: Date.parse(certificate.validTo),
    covers: (host) =>
      (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined,
  }
}

/** The certificate of the server alone, as PEM text. Rejects as `readTlsCertificate`. */
export async function readServerCertificate(certificateFile: string): Promise<string> {
  const cert = await read('http.tls.certificateFile', certificateFile)
  return parseCertificate(cert, certificateFile).toString()
}

function parseCertificate(cert: Buffer, file: string): X509Certificate {
  return parse(
    () => new X509Certificate(cert),
    `http.tls.certificateFile ${file} contains no certificate: expected PEM text, the certificate of the server first`,
  )
}

async function read(setting: string, file: string): Promise<Buffer> {
  try {
    const bytes = await readFile(file)
    if (bytes.length > fileBytesMax) throw new Error(`it is longer than ${fileBytesMax} bytes`)
    return bytes
  } catch (cause) {
    throw new Error(`cannot read ${setting} ${file}: ${describeErrno(cause)}`, { cause })
  }
}

function parse<Result>(work: () => Result, sentence: string): Result {
  try {
    return work()
  } catch (cause) {
    throw new Error(sentence, { cause })
  }
}

/** `DNS:a.example, IP Address:127.0.0.1` as names. */
function namesOf({ subjectAltName = '' }: X509Certificate): readonly string[] {
  return subjectAltName
    .split(', ')
    .flatMap((entry) => /^(?:DNS|IP Address):"?([^"]+)"?$/.exec(entry)?.[1] ?? [])
}
