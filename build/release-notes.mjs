/** The release notes: a version's section of the changelog. */

/**
 * @param changelog text of CHANGELOG.md
 * @param version such as 0.2.0
 * @returns Markdown that names the tag
 * @throws Error if the changelog has no section for the version
 */
export function releaseNotes(changelog, version) {
  const section = changelog
    .split(/^## /m)
    .find((text) => text.split(/\s/, 1)[0] === version);
  if (!section)
    throw new Error(
      `CHANGELOG.md has no section "## ${version}"; add it before the release`,
    );
  return `# journal-api ${section.trim().replace('\n', `\n\nTag: v${version}\n`)}\n`;
}
