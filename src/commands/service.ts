/**
 * `service`: prints what an operating system needs to run the service from its start on,
 * with absolute paths.
 */
import { homedir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Argument } from 'commander';
import { type Files, filesOf, type GlobalOptions, serverOptions } from '../config.ts';
import { UsageError } from '../errors.ts';
import { type JournalCommand, note, printData } from './shared/command.ts';
import {
  fileFlags,
  type ProgramCommand,
  programCommand,
  serverSettingsOf,
} from './shared/serving.ts';

interface Unit {
  text: (start: ProgramCommand, files: Files) => string;
  /** What to do with it. */
  advice: readonly string[];
}

export function registerService(program: JournalCommand): void {
  program
    .command('service')
    .description(
      'print a unit that runs "serve" from the start of the system or login on',
    )
    .addArgument(
      new Argument('<system>', 'system that runs it').choices(Object.keys(UNITS)),
    )
    .addOptions(serverOptions)
    .explained(
      'Options of "serve" that you give are part of the unit. ' +
        'What to do with it is printed on stderr. Nothing is installed.',
    )
    .examples('journal-api service systemd --port 4747 > journal-api.service')
    .action((system: string, _options, command: JournalCommand) =>
      printUnit(UNITS[system] as Unit, command),
    );
}

function printUnit({ text, advice }: Unit, command: JournalCommand): void {
  const options = command.optsWithGlobals<GlobalOptions>();
  const files = filesOf(options);
  // A unit with a wrong option would never start.
  serverSettingsOf(command.optsWithGlobals());
  const start = programCommand(
    'serve',
    ...fileFlags(files, options),
    ...givenFlags(command),
  );
  // A line break would be a line of its own in a unit.
  const odd = [start.command, ...start.args].find((word) => /\p{Cc}/u.test(word));
  if (odd !== undefined)
    throw new UsageError(
      `${JSON.stringify(odd)} holds a line break or other control character`,
    );

  printData(text(start, files));
  note(advice.join('\n'));
}

/** The flags of `serve` on the command line. */
function givenFlags(command: JournalCommand): string[] {
  return serverOptions.flatMap((option) => {
    const name = option.attributeName();
    if (command.getOptionValueSource(name) !== 'cli') return [];
    const flag = option.long as string;
    const value: unknown = command.getOptionValue(name);
    if (typeof value === 'boolean') return [flag];
    return [flag, /^--tls-/.test(flag) ? resolve(String(value)) : String(value)];
  });
}

const UNITS: Readonly<Record<string, Unit>> = {
  systemd: {
    text: systemdUnit,
    advice: [
      'Save it as /etc/systemd/system/journal-api.service, then: ' +
        'sudo systemctl daemon-reload && sudo systemctl enable --now journal-api',
      'Its log: journalctl -u journal-api. To end it: sudo systemctl disable --now journal-api',
    ],
  },
  launchd: {
    text: launchdAgent,
    advice: [
      'Save it as ~/Library/LaunchAgents/journal-api.plist, then: ' +
        'launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/journal-api.plist',
      'To end it: launchctl bootout gui/$(id -u)/journal-api, and remove the file.',
    ],
  },
  windows: {
    text: scheduledTask,
    advice: [
      'Save it as journal-api.ps1, and run it once: ' +
        'powershell -ExecutionPolicy Bypass -File journal-api.ps1',
      'It starts the service at your next login; now: Start-ScheduledTask journal-api. ' +
        'To end it: Unregister-ScheduledTask journal-api',
    ],
  },
};

/** A system's unit with the user's files: only the data folder can be written. */
function systemdUnit({ command, args }: ProgramCommand, { home, keys }: Files): string {
  // Only the start line has variables.
  const start = [command, ...args].map((word) =>
    systemdWord(word.replaceAll('$', '$$$$')),
  );
  const written = [...new Set([home, dirname(keys)])].map(systemdWord);

  return `[Unit]
Description=journal-api
After=network.target

[Service]
Type=exec
User=${userInfo().username}
ExecStart=${start.join(' ')}
Restart=on-failure
TimeoutStopSec=15
UMask=0077
MemoryMax=1G
Environment=MALLOC_TRIM_THRESHOLD_=131072

NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=read-only
ReadWritePaths=${written.join(' ')}
PrivateTmp=yes
PrivateDevices=yes
PrivateUsers=yes
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
ProtectProc=invisible
ProcSubset=pid
RestrictAddressFamilies=AF_INET AF_INET6
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
CapabilityBoundingSet=
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources

[Install]
WantedBy=multi-user.target`;
}

/** In quotes, if necessary. A % would be replaced. */
function systemdWord(text: string): string {
  const plain = text.replaceAll('%', '%%');
  return /^[\w./:@%+,=-]+$/.test(plain)
    ? plain
    : `"${plain.replaceAll(/[\\"]/g, '\\$&')}"`;
}

function launchdAgent({ command, args }: ProgramCommand): string {
  const words = [command, ...args].map((word) => `    <string>${xml(word)}</string>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>journal-api</string>
  <key>ProgramArguments</key>
  <array>
${words.join('\n')}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>Umask</key>
  <integer>${0o077}</integer>
  <key>StandardErrorPath</key>
  <string>${xml(join(homedir(), 'Library', 'Logs', 'journal-api.log'))}</string>
</dict>
</plist>`;
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function scheduledTask({ command, args }: ProgramCommand): string {
  return `$action = New-ScheduledTaskAction -Execute ${powerShellText(command)} -Argument ${powerShellText(args.map(windowsWord).join(' '))}
$trigger = New-ScheduledTaskTrigger -AtLogOn -User "$env:USERDOMAIN\\$env:USERNAME"
$settings = New-ScheduledTaskSettingsSet -ExecutionTimeLimit 0 -RestartCount 3 -RestartInterval (New-TimeSpan -Minutes 1) -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries
Register-ScheduledTask -TaskName journal-api -Action $action -Trigger $trigger -Settings $settings -Force`;
}

function powerShellText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/**
 * A word of a command line as Windows programs split it: backslashes count only before a
 * quotation mark.
 */
function windowsWord(text: string): string {
  if (text !== '' && !/[\s"]/.test(text)) return text;
  return `"${text.replaceAll(/(?<!\\)\\+(?="|$)/g, '$&$&').replaceAll('"', '\\"')}"`;
}
