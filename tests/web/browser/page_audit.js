// What a reader of a page could not use, as sentences: names, labels, headings, landmarks, contrast, width.
// The contrast is that of WCAG 2.2: (L1 + 0.05) / (L2 + 0.05), L the relative luminance of an sRGB colour.
() => {
  const LEAST_CONTRAST = 4.5;
  const faults = [];
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0;
  const named = (element) => {
    const html = element.outerHTML.slice(0, 120).replace(/\s+/g, " ");
    return `${html} in ${element.closest("section, article, form, nav, header, table, main, body").outerHTML.slice(0, 60)}`;
  };
  const nameOf = (element) => {
    const by = (element.getAttribute("aria-labelledby") || "").split(" ").filter(Boolean);
    const said = by.map((id) => document.getElementById(id)?.textContent || "").join(" ");
    return (said || element.getAttribute("aria-label") || element.textContent || element.getAttribute("title") || "").trim();
  };

  for (const field of document.querySelectorAll("input:not([type=hidden]), textarea, select, progress"))
    if (shown(field) && !field.getAttribute("aria-label") && ![...(field.labels || [])].some((label) => label.textContent.trim()))
      faults.push(`no label: ${named(field)}`);
  for (const element of document.querySelectorAll("button, a[href], summary, [role=button], [role=img], svg:not([aria-hidden])"))
    if (shown(element) && !nameOf(element)) faults.push(`no name: ${named(element)}`);
  for (const element of document.querySelectorAll("[aria-labelledby], [aria-describedby]"))
    for (const attribute of ["aria-labelledby", "aria-describedby"])
      for (const id of (element.getAttribute(attribute) || "").split(" ").filter(Boolean))
        if (!document.getElementById(id)) faults.push(`${attribute} points to nothing: ${named(element)}`);
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  for (const id of new Set(ids.filter((id, at) => ids.indexOf(id) !== at))) faults.push(`two elements have the id ${id}`);
  for (const element of document.querySelectorAll("[tabindex]"))
    if (element.tabIndex > 0) faults.push(`an order of its own: ${named(element)}`);

  if (document.querySelectorAll("h1").length !== 1) faults.push(`${document.querySelectorAll("h1").length} h1`);
  let level = 0;
  for (const heading of document.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) faults.push(`h${next} after h${level}: ${named(heading)}`);
    if (!heading.textContent.trim()) faults.push(`an empty heading: ${named(heading)}`);
    level = next;
  }
  if (document.querySelectorAll("main").length !== 1) faults.push("not one main");
  if (document.querySelectorAll("body > header").length !== 1) faults.push("not one header");
  const navs = [...document.querySelectorAll("nav")].map(nameOfNav);
  function nameOfNav(nav) { return nav.getAttribute("aria-label") || nav.getAttribute("aria-labelledby") || ""; }
  if (new Set(navs).size !== navs.length || navs.includes("")) faults.push(`navs without names of their own: ${navs}`);
  if (!document.documentElement.lang) faults.push("no language");
  if (!document.title.trim()) faults.push("no title");

  // Premultiplied colours with alpha, so that layers and groups with an opacity are laid one over the other.
  const parse = (text) => {
    const found = text.match(/^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/);
    if (!found) throw new Error(`not a colour that is understood: ${text}`);
    const alpha = found[4] === undefined ? 1 : Number(found[4]);
    return [...found.slice(1, 4).map((part) => (Number(part) / 255) * alpha), alpha];
  };
  const over = (top, below) => top.map((part, at) => part + below[at] * (1 - top[3]));
  const faded = (colour, opacity) => colour.map((part) => part * opacity);
  const luminance = (colour) => {
    const [red, green, blue] = colour.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? [0, 0, 0, 1] : [1, 1, 1, 1];
  const contrast = (element, colour) => {
    let text = parse(colour);
    let ground = [0, 0, 0, 0];
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      const own = parse(style.backgroundColor);
      text = over(text, own);
      ground = over(ground, own);
      text = faded(text, Number(style.opacity));
      ground = faded(ground, Number(style.opacity));
    }
    const [one, other] = [luminance(over(text, canvas)), luminance(over(ground, canvas))];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  let least = 21;
  const check = (element, colour, what) => {
    if (element.closest(":disabled")) return; // WCAG leaves out what cannot be used
    const found = contrast(element, colour);
    least = Math.min(least, found);
    if (found < LEAST_CONTRAST) faults.push(`contrast ${found.toFixed(2)} of ${what}: ${named(element)}`);
  };
  const checked = new Set();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || checked.has(element) || element.matches("script, style, option") || !shown(element)) continue;
    checked.add(element);
    if (element.closest(".unseen")) continue; // for screen readers alone
    const style = getComputedStyle(element);
    check(element, element instanceof SVGElement ? style.fill : style.color, "text");
  }
  for (const field of document.querySelectorAll("input:not([type=hidden]), textarea, select")) {
    if (!shown(field)) continue;
    check(field, getComputedStyle(field).color, "a field");
    if (field.placeholder) check(field, getComputedStyle(field, "::placeholder").color, "a placeholder");
  }

  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) {
    const out = [...document.querySelectorAll("body *")].filter((element) => shown(element) && element.getBoundingClientRect().right > innerWidth + 1
      && !element.closest(".scroll, .messages, .unseen, .skip"));
    faults.push(`${wide} px wide in ${innerWidth}: ${out.slice(-3).map(named).join(" | ")}`);
  }
  return { faults, least, texts: checked.size };
}
