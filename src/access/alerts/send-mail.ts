// Mail over SMTP, if the operator configured a server. The only importer of nodemailer.
// Tested by src/access/alerts/send-alerts.test.ts

type Mail = { readonly to: string; readonly subject: string; readonly text: string }

export type Mailer = {
  /** False: no mail server is configured. */
  readonly canSend: () => boolean
  /** Resolves when the server has accepted the mail. Throws the server's error. */
  send(mail: Mail): Promise<void>
}

const timeoutMs = 15_000

/** `url`: `smtp://` or `smtps://`, may contain a password; `from`: the sender. Both null: mail is disabled. */
export function createMailer(
  settings: () => {
    readonly url: string | null
    readonly from: string | null
  },
): Mailer {
  return {
    canSend() {
      const { url, from } = settings()
      return url !== null && from !== null
    },
    async send({ to, subject, text }) {
      const { url, from } = settings()
      if (url === null || from === null) throw new Error('no mail server is set')
      // Loaded with the first mail, so that the server starts sooner.
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({
        url,
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      try {
        await transport.sendMail({ from, to, subject, text })
      } finally {
        transport.close()
      }
    },
  }
}
