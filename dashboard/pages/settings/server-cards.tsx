// Cards of the server's own settings, for operators: sign-on, mail, security.
// Tested by test/browser/settings.test.ts
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../../src/admin/client.ts'
import { call, messageOf } from '../../app/api.ts'
import { formatCount } from '../../app/format.ts'
import { Link } from '../../app/router.tsx'
import { useLoaded } from '../../app/use-loaded.ts'
import { State } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Empty, Show } from '../../ui/note.tsx'
import { useToast } from '../../ui/toast.tsx'
import { FileExample, FileSettings } from './file-settings.tsx'

type Settings = AdminReply<'GET /server-settings'>

const hourMs = 3_600_000

function useServerSettings() {
  return useLoaded((signal) => call('GET /server-settings', {}, signal), [])
}

const signUps = {
  invitation: 'people with an invitation',
  rule: 'people with an invitation, or to whom a rule applies',
  closed: 'no new people',
} as const

export function SignOnCard() {
  const loaded = useServerSettings()
  const { openId = null } = loaded.value?.signIn ?? {}
  const state = openId === null ? <State>Off</State> : <State tone="good">On</State>
  return (
    <Card title="Single sign-on" {...(loaded.value === undefined ? {} : { actions: state })}>
      <Show loaded={loaded}>
        {({ signIn }) =>
          signIn.openId === null ? (
            <>
              <Empty
                title="No OpenID provider is set"
                action={
                  <a class="button" href="/docs/guides/sign-in-with-openid">
                    Read the guide
                  </a>
                }
              >
                Set signIn.oidc.issuer, and people sign in with the accounts of your provider.
                Passkeys keep working.
              </Empty>
              <FileExample text={openIdExample()} />
            </>
          ) : (
            <OpenId openId={signIn.openId} password={signIn.password} />
          )
        }
      </Show>
    </Card>
  )
}

/** The provider needs the redirect URI. */
function openIdExample(): string {
  return [
    `# Redirect URI for the provider: ${location.origin}/dashboard/openid`,
    'signIn:',
    '  oidc:',
    '    issuer: https://id.example.org/realms/main',
    '    clientId: cairn',
    '    clientSecret: "${file:/run/secrets/cairn-openid}"',
  ].join('\n')
}

const mailExample = [
  'mail:',
  '  url: smtps://cairn:password@mail.example.org',
  '  from: Cairn <cairn@example.org>',
].join('\n')

function OpenId({
  openId,
  password,
}: {
  readonly openId: NonNullable<Settings['signIn']['openId']>
  readonly password: boolean
}) {
  const { name, issuer, clientId, hasSecret, signUp, domains, rules } = openId
  const redirect = `${location.origin}/dashboard/openid`
  return (
    <FileSettings
      rows={[
        { title: 'Provider', value: name, name: 'signIn.oidc.name' },
        {
          title: 'Issuer',
          value: <span class="mono">{issuer}</span>,
          name: 'signIn.oidc.issuer',
        },
        {
          title: 'Client',
          value: `${clientId ?? 'not set'}, ${hasSecret ? 'with a secret' : 'public, without a secret'}`,
          name: 'signIn.oidc.clientId',
        },
        {
          title: 'Redirect URI',
          value: (
            <span class="value">
              <span class="mono">{redirect}</span>
              <CopyButton text={redirect} title="Copy the redirect URI" />
            </span>
          ),
        },
        { title: 'Who can sign up', value: signUps[signUp], name: 'signIn.oidc.signUp' },
        { title: 'Domains', value: domains ?? 'all', name: 'signIn.oidc.domains' },
        { title: 'Rules for roles', value: formatCount(rules, 'rule'), name: 'signIn.oidc.rules' },
        {
          title: 'Passwords',
          value: password ? 'accepted too' : 'not accepted',
          name: 'signIn.password',
        },
      ]}
    />
  )
}

export function MailCard() {
  const toast = useToast()
  const [busy, setBusy] = useState(false)
  const loaded = useServerSettings()
  const test = async (): Promise<void> => {
    setBusy(true)
    try {
      const { to } = await call('POST /server-settings/test-mail')
      toast(`Test mail sent to ${to}`)
    } catch (thrown) {
      toast(messageOf(thrown), 'bad')
    }
    setBusy(false)
  }
  const { server = null, from = null } = loaded.value?.mail ?? {}
  const button = (
    <button class="button small" type="button" disabled={busy} onClick={() => void test()}>
      Send test mail
    </button>
  )
  return (
    <Card
      title="Mail"
      about="For invitations and alerts."
      {...(server === null || from === null ? {} : { actions: button })}
    >
      <Show loaded={loaded}>
        {({ mail }) =>
          mail.server === null || mail.from === null ? (
            <>
              <Empty title="No mail server is set">
                Set mail.url and mail.from. Until then, invitations are links to copy, and alerts go
                to webhooks only.
              </Empty>
              <FileExample text={mailExample} />
            </>
          ) : (
            <FileSettings
              rows={[
                {
                  title: 'Server',
                  value: <span class="mono">{mail.server}</span>,
                  name: 'mail.url',
                },
                { title: 'Sender', value: mail.from, name: 'mail.from' },
              ]}
            />
          )
        }
      </Show>
    </Card>
  )
}

const factors = {
  optional: 'optional',
  operators: 'required for operators',
  required: 'required for all people',
} as const

export function SecurityCard() {
  const loaded = useServerSettings()
  return (
    <Card
      title="Security"
      about="Access to the dashboard and the admin API."
      actions={<Link to="/profile">Your sessions</Link>}
    >
      <Show loaded={loaded}>
        {({ admin, signIn }) => (
          <FileSettings
            rows={[
              {
                title: 'Second factor',
                value: factors[signIn.secondFactor],
                name: 'signIn.secondFactor',
              },
              {
                title: 'Passwords',
                value: signIn.password ? 'accepted' : 'not accepted',
                name: 'signIn.password',
              },
              {
                title: 'Wrong passwords',
                value: `${admin.failedSignInsPerHour} an hour for each person`,
                name: 'admin.failedSignInsPerHour',
              },
              {
                title: 'Idle sessions end',
                value: `after ${durationOf(admin.sessionIdleMs)}`,
                name: 'admin.sessionIdleMs',
              },
              {
                title: 'Sessions end',
                value: `after ${durationOf(admin.sessionMs)}`,
                name: 'admin.sessionMs',
              },
              {
                title: 'Access tokens',
                value: `${admin.tokenDays} days, ${admin.tokenDaysMax === null ? 'or without end' : `at most ${admin.tokenDaysMax}`}`,
                name: 'admin.tokenDays',
              },
              {
                title: 'Who can invite',
                value: admin.signUp === 'closed' ? 'operators' : 'operators and owners',
                name: 'admin.signUp',
              },
              { title: 'Host names', value: admin.hosts ?? 'loopback only', name: 'admin.hosts' },
              { title: 'Client addresses', value: admin.ips ?? 'all', name: 'admin.ips' },
              {
                title: 'Audit log',
                value: `${admin.auditKeepDays} days`,
                name: 'admin.auditKeepDays',
              },
            ]}
          />
        )}
      </Show>
    </Card>
  )
}

function durationOf(ms: number): string {
  const hours = ms / hourMs
  if (hours < 1) return formatCount(Math.round(ms / 60_000), 'minute')
  return hours % 24 === 0 ? formatCount(hours / 24, 'day') : `${Number(hours.toFixed(1))} hours`
}
