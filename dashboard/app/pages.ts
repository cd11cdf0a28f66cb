// The pages: path, title, place in the navigation, required role. Each is loaded when it is first opened.
import type { ComponentType } from 'preact'
import type { IconName } from '../ui/icons.tsx'

/** Values of the names in the path: `/keys/:key` gives `key`. */
export type PageProps = { readonly names: Readonly<Record<string, string>> }

export type PageComponent = ComponentType<PageProps>

export type Page = {
  /** Below /dashboard. */
  readonly path: string
  readonly title: string
  /** Absent: the page is not in the navigation. */
  readonly nav?: { readonly group: NavGroup; readonly icon: IconName }
  /** Required role. `owner` and `account` refer to the chosen account; other people see a notice. */
  readonly access: 'signed-in' | 'account' | 'owner' | 'operator'
  /** Page of the documentation, below /docs; absent: its first page. */
  readonly guide?: string
  /** Paths with the same name are one page, which keeps its state between them. */
  readonly stays?: string
  readonly load: () => Promise<PageComponent>
}

/** In display order. The first has no heading. */
export const navGroups = ['', 'Build', 'Observe', 'Manage', 'Server'] as const
export type NavGroup = (typeof navGroups)[number]

export const pages: readonly Page[] = [
  {
    path: '/',
    title: 'Overview',
    nav: { group: '', icon: 'start' },
    access: 'signed-in',
    guide: 'get-started',
    load: async () => (await import('../pages/overview.tsx')).OverviewPage,
  },
  {
    path: '/setup',
    title: 'Set up',
    access: 'operator',
    guide: 'get-started',
    load: async () => (await import('../pages/setup.tsx')).SetupPage,
  },
  {
    path: '/keys',
    title: 'API keys',
    nav: { group: 'Build', icon: 'keys' },
    access: 'account',
    guide: 'guides/restrict-keys',
    load: async () => (await import('../pages/keys.tsx')).KeysPage,
  },
  {
    path: '/keys/:key',
    title: 'Key',
    access: 'account',
    guide: 'guides/restrict-keys',
    load: async () => (await import('../pages/key.tsx')).KeyPage,
  },
  {
    path: '/usage',
    title: 'Usage',
    nav: { group: 'Observe', icon: 'usage' },
    access: 'account',
    guide: 'guides/limits-and-alerts',
    load: async () => (await import('../pages/usage.tsx')).UsagePage,
  },
  {
    path: '/files',
    title: 'Files',
    nav: { group: 'Build', icon: 'files' },
    access: 'account',
    guide: 'guides/upload-files',
    load: async () => (await import('../pages/files.tsx')).FilesPage,
  },
  {
    path: '/files/:cid',
    title: 'File',
    access: 'account',
    guide: 'guides/upload-files',
    load: async () => (await import('../pages/file.tsx')).FilePage,
  },
  {
    path: '/card',
    title: 'Billing',
    stays: 'settings',
    access: 'account',
    guide: 'guides/limits-and-alerts',
    load: async () => (await import('../pages/settings.tsx')).SettingsPage,
  },
  {
    path: '/requests',
    title: 'Requests',
    stays: 'requests',
    nav: { group: 'Observe', icon: 'inspector' },
    access: 'account',
    guide: 'guides/monitor',
    load: async () => (await import('../pages/requests.tsx')).RequestsPage,
  },
  {
    path: '/requests/:key/:request',
    title: 'Request',
    stays: 'requests',
    access: 'account',
    guide: 'guides/monitor',
    load: async () => (await import('../pages/requests.tsx')).RequestsPage,
  },
  {
    path: '/proof',
    title: 'Proofs',
    nav: { group: 'Observe', icon: 'proof' },
    access: 'account',
    guide: 'guides/verify-an-answer',
    load: async () => (await import('../pages/proof.tsx')).ProofPage,
  },
  {
    path: '/slots',
    title: 'Storage slots',
    nav: { group: 'Observe', icon: 'slots' },
    access: 'account',
    load: async () => (await import('../pages/slots.tsx')).SlotsPage,
  },
  {
    path: '/members',
    title: 'Members',
    nav: { group: 'Manage', icon: 'members' },
    access: 'account',
    guide: 'guides/invite-people',
    load: async () => (await import('../pages/members.tsx')).MembersPage,
  },
  {
    path: '/audit',
    title: 'Audit log',
    nav: { group: 'Manage', icon: 'audit' },
    access: 'owner',
    load: async () => (await import('../pages/audit.tsx')).AuditPage,
  },
  {
    path: '/settings',
    title: 'Settings',
    stays: 'settings',
    nav: { group: 'Manage', icon: 'settings' },
    access: 'account',
    guide: 'guides/limits-and-alerts',
    load: async () => (await import('../pages/settings.tsx')).SettingsPage,
  },
  {
    path: '/profile',
    title: 'Profile',
    access: 'signed-in',
    guide: 'guides/invite-people',
    load: async () => (await import('../pages/profile.tsx')).ProfilePage,
  },
  {
    path: '/networks',
    title: 'Networks',
    nav: { group: 'Server', icon: 'networks' },
    access: 'operator',
    guide: 'guides/own-nodes',
    load: async () => (await import('../pages/networks.tsx')).NetworksPage,
  },
  {
    path: '/network',
    title: 'IPFS network',
    nav: { group: 'Server', icon: 'network' },
    access: 'operator',
    guide: 'guides/join-the-ipfs-network',
    load: async () => (await import('../pages/network.tsx')).NetworkPage,
  },
  {
    path: '/accounts',
    title: 'Accounts',
    nav: { group: 'Server', icon: 'accounts' },
    access: 'operator',
    guide: 'guides/limits-and-alerts',
    load: async () => (await import('../pages/accounts.tsx')).AccountsPage,
  },
  {
    path: '/people',
    title: 'People',
    nav: { group: 'Server', icon: 'people' },
    access: 'operator',
    guide: 'guides/invite-people',
    load: async () => (await import('../pages/people.tsx')).PeoplePage,
  },
]
