//! Texts and images of genomes.

use super::subject::{Subject, seed};
use super::{Finding, Found};
use crate::problem::Format;
use roxmltree::{Document, Node};

pub(super) fn rendering(subject: &Subject) -> Found {
    if !subject.description().has_render {
        return Ok(Finding::Skipped("it has no render".to_owned()));
    }
    let samples = subject.sample(&seed(1), 0, subject.rows.min(32))?;
    let mut formats = Vec::new();
    for (format, name, fault) in [
        (Format::Line, "line", line as fn(&str) -> Result<(), String>),
        (Format::Board, "board", board),
        (Format::Svg, "svg", svg),
    ] {
        for row in 0..samples.rows() {
            // The handle checks that it is UTF-8.
            let Some(text) = subject.render(&samples.row(row), format)? else { break };
            fault(&text).map_err(|words| Finding::Failed(format!("{name}: {words}")))?;
            if row == 0 {
                formats.push(name);
            }
        }
    }
    if formats.is_empty() {
        return Err(Finding::Failed("it has render, but no format".to_owned()));
    }
    Ok(Finding::Passed(format!("{} genomes: {}", samples.rows(), formats.join(", "))))
}

fn controls(text: &str) -> Result<(), String> {
    match text.chars().find(|character| character.is_control() && *character != '\n') {
        None => Ok(()),
        Some(found) => Err(format!("has the control character {found:?}")),
    }
}

fn line(text: &str) -> Result<(), String> {
    if text.contains('\n') {
        return Err(format!("has {} lines", text.lines().count()));
    }
    controls(text)
}

fn board(text: &str) -> Result<(), String> {
    if !text.ends_with('\n') {
        return Err("does not end with a line feed".to_owned());
    }
    controls(text)
}

fn svg(text: &str) -> Result<(), String> {
    let document = Document::parse(text).map_err(|error| format!("is not XML: {error}"))?;
    let root = document.root_element();
    if root.tag_name().name() != "svg" {
        return Err(format!("is one <{}>, not one <svg>", root.tag_name().name()));
    }
    if root.tag_name().namespace() != Some("http://www.w3.org/2000/svg") {
        return Err("lacks xmlns=\"http://www.w3.org/2000/svg\": browsers show no image".to_owned());
    }
    root.descendants().filter(Node::is_element).try_for_each(|node| element(&node))
}

/// Whether an element does nothing but draw.
fn element(node: &Node<'_, '_>) -> Result<(), String> {
    let name = node.tag_name().name();
    if ["script", "foreignObject", "iframe", "embed", "object"].contains(&name) {
        return Err(format!("has an element <{name}>"));
    }
    for attribute in node.attributes() {
        let (key, value) = (attribute.name(), attribute.value().trim());
        if key.starts_with("on") {
            return Err(format!("has a handler {key}"));
        }
        if key == "href" && !value.starts_with('#') && !value.starts_with("data:image/") {
            return Err(format!("has a link to {value:?}"));
        }
        within(value)?;
    }
    node.text().map_or(Ok(()), |text| if name == "style" { within(text) } else { Ok(()) })
}

/// Whether a style loads nothing from elsewhere.
fn within(style: &str) -> Result<(), String> {
    let outside = style.split("url(").skip(1).any(|rest| {
        let target = rest.trim_start_matches(['"', '\'', ' ']);
        !target.starts_with('#') && !target.starts_with("data:image/")
    });
    match outside || style.contains("@import") {
        true => Err(format!("loads something from elsewhere: {style:?}")),
        false => Ok(()),
    }
}
